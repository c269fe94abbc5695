/** Authentication context classes (OpenID Connect Core 1.0, section 2), ascending: one factor, two, two of which a false page gets nothing. */
export const acrValues = ['urn:gatehouse:acr:1fa', 'urn:gatehouse:acr:2fa', 'urn:gatehouse:acr:phishing-resistant'] as const
export type Acr = (typeof acrValues)[number]

/** True when a session of the class `has` is at least of the class `wanted`. An unknown class meets nothing and is met by nothing. */
export const meetsAcr = (has: string, wanted: string): boolean => {
  const names: readonly string[] = acrValues
  const level = names.indexOf(wanted)
  return level >= 0 && names.indexOf(has) >= level
}

/**
 * True for proofs that the reader of a mailbox gets: mailed links and codes, and a sign-in at a provider, which mails a new password to an address that
 * nobody here knows. Not for a provider that asks for two factors itself (docs/design/second-factors.md#the-second-step).
 */
export const restsOnMailbox = ({ name, factors }: { readonly name: string; readonly factors: readonly string[] }): boolean =>
  name === 'mail-link' || name === 'mail-code' || (name === 'federated' && !factors.includes('possession'))
