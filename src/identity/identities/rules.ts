/** Which of a user's identities a call means. */
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
 * The identity that is meant. `accountId` is the row's id, or the provider's id for the account: the row's wins. Without a provider the
 * provider's id must name one identity alone, since two providers may give different people the same id. Without an account id the first
 * identity of the provider is meant.
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
