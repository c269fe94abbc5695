/** Authentication context classes (OpenID Connect Core 1.0, section 2), ascending: one factor, two, two of which a false page gets nothing. */
export const acrValues = ['urn:gatehouse:acr:1fa', 'urn:gatehouse:acr:2fa', 'urn:gatehouse:acr:phishing-resistant'] as const
export type Acr = (typeof acrValues)[number]

/** True when a session of the class `has` is at least of the class `wanted`. An unknown class meets nothing and is met by nothing. */
export const meetsAcr = (has: string, wanted: string): boolean => {
  const names: readonly string[] = acrValues
  const level = names.indexOf(wanted)
  return level >= 0 && names.indexOf(has) >= level
}
