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
