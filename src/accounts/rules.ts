export interface PasswordLimits {
  readonly minLength: number
  readonly maxLength: number
}

/** Code of the refusal of a password's length, counted in code points after NFC (security baseline, section 1), or undefined. */
export const lengthProblem = (
  password: string,
  { minLength, maxLength }: PasswordLimits,
): 'PASSWORD_TOO_SHORT' | 'PASSWORD_TOO_LONG' | undefined => {
  const length = [...password.normalize('NFC')].length
  if (length < minLength) return 'PASSWORD_TOO_SHORT'
  return length > maxLength ? 'PASSWORD_TOO_LONG' : undefined
}

/** Adds query parameters to a URL, absolute or relative, before its fragment. */
export const withQuery = (url: string, query: Readonly<Record<string, string>>): string => {
  const [address = '', ...fragment] = url.split('#')
  const joined = `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(query)}`
  return [joined, ...fragment].join('#')
}
