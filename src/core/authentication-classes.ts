/**
 * Authentication context classes (OpenID Connect Core 1.0, section 2), lowest first: one factor; two factors; two factors that a phishing
 * page cannot use.
 */
export const acrValues = ['urn:gatehouse:acr:1fa', 'urn:gatehouse:acr:2fa', 'urn:gatehouse:acr:phishing-resistant'] as const
export type Acr = (typeof acrValues)[number]

/** True when the class `has` of a session is at least as high as the class `wanted`. Unknown classes never match. */
export const meetsAcr = (has: string, wanted: string): boolean => {
  const names: readonly string[] = acrValues
  const level = names.indexOf(wanted)
  return level >= 0 && names.indexOf(has) >= level
}

/**
 * True for a proof that the owner of a mailbox can give: a mailed link or code, or a sign-in at a provider. A provider counts because it
 * mails new passwords, and gatehouse does not know to which address. False for a provider that itself requires two factors
 * (docs/design/second-factors.md#the-second-step).
 */
export const restsOnMailbox = ({ name, factors }: { readonly name: string; readonly factors: readonly string[] }): boolean =>
  name === 'mail-link' || name === 'mail-code' || (name === 'federated' && !factors.includes('possession'))
