/** Undocumented parts of the library's device flow. `test/unit/oidc-library.test.ts` checks them. */

/** The library's form for confirming a device. Only this process sends it, after our own page has checked the confirmation. */
export const deviceConfirmation = { xsrf: 'confirmed here', confirm: 'yes' } as const

/** The problem with a device code, by the name of the library's error. */
export const deviceProblems: Readonly<Record<string, 'expired' | 'used' | 'refused'>> = {
  NotFoundError: 'expired',
  ExpiredError: 'expired',
  AlreadyUsedError: 'used',
  AbortedError: 'refused',
}
