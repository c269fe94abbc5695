/** What the API document says besides the contract. The pages load contracts, and none of this. */
export const userNameDocumentation = {
  isUsernameAvailable: {
    description:
      'Only where `accounts.userNames.mode` is not `off`. A reserved name is not available. The answer tells whether an account has the name, as a ' +
      'sign-up with it would: the call has the limit of sign-ups.',
    example: { body: { username: 'ada' }, response: { available: false } },
  },
}
