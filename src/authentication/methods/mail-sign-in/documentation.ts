/** What the API document says besides the contract. The pages load contracts, and none of this. */
export const mailSignInDocumentation = {
  signInMagicLink: {
    description:
      'Off unless `mailSignIn.enabled`. The answer is the same for addresses without an account. Link and code work for ten minutes, once, and only in the browser that asked: its cookie has to come back with them. A further request ends the one before.',
    example: { body: { email: 'ada@example.com', callbackURL: '/account' }, response: { status: true } },
  },
  sendVerificationOtp: {
    description: 'The same mail as `/sign-in/magic-link` sends, with the same code.',
    example: { body: { email: 'ada@example.com', type: 'sign-in' }, response: { success: true } },
  },
  signInEmailOtp: {
    description:
      'Three wrong codes end the sign-in, its link too. The first sign-in verifies the address; an account that somebody else made in advance comes without what they left in it. A person with a second factor is asked for it next.',
  },
  verifyMagicLink: {
    description: 'In another browser nothing is consumed, and the error says to open it where it was asked for.',
  },
}
