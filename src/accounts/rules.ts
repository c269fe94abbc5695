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

/** True for a session begun at most `ageSeconds` ago; 0: always. */
export const isFresh = ({ createdAt }: { readonly createdAt: Date }, now: Date, ageSeconds: number): boolean =>
  ageSeconds === 0 || now.getTime() - createdAt.getTime() <= ageSeconds * 1000

/** Adds query parameters to a URL, absolute or relative, before its fragment. */
export const withQuery = (url: string, query: Readonly<Record<string, string>>): string => {
  const [address = '', ...fragment] = url.split('#')
  const joined = `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(query)}`
  return [joined, ...fragment].join('#')
}

/** What a call says about which of a user's accounts it means. */
export interface AccountChoice {
  readonly providerId?: string | undefined
  readonly accountId?: string | undefined
}

interface Named {
  readonly id: string
  readonly providerId: string
  readonly accountId: string
}

/**
 * The account that is meant. The row's id goes before the provider's; without a provider the latter must name one account alone, since
 * two providers may call different people the same. Without an account id the first of the provider.
 */
export const chooseAccount = <A extends Named>(
  accounts: readonly A[],
  { providerId, accountId }: AccountChoice,
): A | undefined => {
  const candidates = accounts.filter((one) => providerId === undefined || one.providerId === providerId)
  if (accountId === undefined) return providerId === undefined ? undefined : candidates[0]
  const [byProvider, ...others] = candidates.filter((one) => one.accountId === accountId)
  return candidates.find(({ id }) => id === accountId) ?? (others.length === 0 ? byProvider : undefined)
}
