/** Undocumented parts of the library's device flow. `test/unit/oidc-library.test.ts` checks that the library still has them. */

/**
 * The form with which the library confirms a device. Only this process sends it to the library, after our own page has checked the
 * person's confirmation.
 */
export const deviceConfirmation = { xsrf: 'confirmed here', confirm: 'yes' } as const

/** The problems of a user code, by the name of the library's error. */
export const deviceProblems: Readonly<Record<string, 'expired' | 'used' | 'refused'>> = {
  NotFoundError: 'expired',
  ExpiredError: 'expired',
  AlreadyUsedError: 'used',
  AbortedError: 'refused',
}
