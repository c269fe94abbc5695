/**
 * Authentication context classes (OpenID Connect Core 1.0, section 2), from the lowest to the highest: one factor, two factors, and two
 * factors that a phishing page cannot use.
 */
export const acrValues = ['urn:gatehouse:acr:1fa', 'urn:gatehouse:acr:2fa', 'urn:gatehouse:acr:phishing-resistant'] as const
export type Acr = (typeof acrValues)[number]

/** True when `has`, the authentication context class of a session, is at least as high as the class `wanted`. False if `wanted` is unknown. */
export const meetsAcr = (has: string, wanted: string): boolean => {
  const names: readonly string[] = acrValues
  const level = names.indexOf(wanted)
  return level >= 0 && names.indexOf(has) >= level
}

/**
 * True for an authentication method that the owner of a mailbox can use: a mailed link, a mailed code, or a sign-in at a provider. A
 * provider counts because whoever reads the mailbox can reset the password there, and gatehouse does not know which mailbox the provider
 * uses. A provider that itself requires two factors does not count (docs/design/second-factors.md#the-second-step).
 */
export const restsOnMailbox = ({ name, factors }: { readonly name: string; readonly factors: readonly string[] }): boolean =>
  name === 'mail-link' || name === 'mail-code' || (name === 'federated' && !factors.includes('possession'))
