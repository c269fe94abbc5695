/** With these parameters, a call names one of the user's identities at providers. */
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
 * Chooses an identity. `accountId` is the id of its row, or the id of the account at the provider. If `providerId` is absent, exactly one
 * identity must have this account id, because two providers may give the same id to different people. If `accountId` is absent, the first
 * identity at the provider is chosen.
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
