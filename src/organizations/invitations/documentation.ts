/** What the API document says besides the contract. The pages load contracts, and none of this. */
export const invitationDocumentation = {
  inviteMember: {
    description: 'Sends a mail with a link. The person need not have an account: the link leads to the sign-up.',
    example: { body: { email: 'charles@example.com', role: 'member' } },
  },
}
