/** Parts of the library's device flow that its documentation does not promise: `test/unit/oidc-library.test.ts` looks at them. */

/** The form with which a person confirms a device, as the library reads it. Only this process sends it, once it has checked what takes its place. */
export const deviceConfirmation = { xsrf: 'confirmed here', confirm: 'yes' } as const

/** What the library says to a person about the code of a device, by the name of its error. */
export const deviceProblems: Readonly<Record<string, 'expired' | 'used' | 'refused'>> = {
  NotFoundError: 'expired',
  ExpiredError: 'expired',
  AlreadyUsedError: 'used',
  AbortedError: 'refused',
}
