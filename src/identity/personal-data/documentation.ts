/** What the API document says besides the contract. */
export const personalDataDocumentation = {
  downloadUserData: {
    description:
      'Profile, ways to sign in, sessions, organizations, consents, keys and own events, each under its name as a list. What proves who somebody is ' +
      '(passwords, codes, keys, tokens) is never part of it, and neither is what is about somebody else.',
  },
}
