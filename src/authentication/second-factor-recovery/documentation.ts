/** What the API document says besides the contract. */
export const recoveryDocumentation = {
  secondFactorRecovery: {
    description:
      'The wait exists where `secondFactor.recoveryWaitDays` is set, for a verified address, where no role, person or organization requires two ' +
      'factors, and after a sign-in with a password that did not come by mail.',
    example: {
      response: { state: 'waiting', waitDays: 7, readyAt: '2026-11-29T09:30:00.000Z', expiresAt: null },
    },
  },
  completeSecondFactorRecovery: {
    description:
      'All other sessions end. `ready` comes with the last notice, and the code goes to the address of the account alone.',
  },
  cancelSecondFactorRecovery: {
    description:
      'With the token of a notice, all sessions end, and the password begins no other wait before it was given together with a second factor.',
  },
}
