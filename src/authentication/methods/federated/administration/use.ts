import type { z } from 'zod'
import type { Core } from '../../../../core/core.ts'
import { searchEvents } from '../../../../core/events/search.ts'
import type { Identities } from '../../../../identity/identities/index.ts'
import type { SignInFailures } from '../../../failures/index.ts'
import type { EffectiveProvider, ListedProvider, ProviderUse } from './contract.ts'

/** The number at which counting accounts stops, and the largest number of sign-ins that are examined. */
const mostCounted = 1_001
const mostSignIns = 500

interface Deps extends Pick<Core, 'db'> {
  readonly identities: Pick<Identities, 'countAt'>
  readonly signInFailures?: Pick<SignInFailures, 'newestOf'>
}

/** Counts the accounts of each identity provider. Each count reads a limited number of index entries. */
export const createProviderCounts =
  ({ db, identities }: Deps) =>
  async (providers: readonly z.output<typeof EffectiveProvider>[]) => {
    const counted: z.output<typeof ListedProvider>[] = []
    for (const provider of providers)
      counted.push({ ...provider, accounts: await identities.countAt(db, provider.id, mostCounted) })
    return counted
  }

/** Finds out from a limited number of rows how an identity provider is used and whether it works. */
export const createProviderUse =
  ({ db, identities, signInFailures }: Deps) =>
  async (provider: string): Promise<z.output<typeof ProviderUse>> => {
    const accounts = await identities.countAt(db, provider, mostCounted)
    const { events } = await searchEvents(db, { types: ['session.started'] }, { order: 'desc', limit: mostSignIns })
    const last = events.find(({ data }) => JSON.parse(data).provider === provider)
    const failure = await signInFailures?.newestOf(db, provider)
    const answer = failure?.detail['answer']
    return {
      accounts,
      lastSignInAt: last?.occurredAt ?? null,
      lastFailure:
        failure === undefined
          ? null
          : {
              ...{ at: failure.lastAt, reason: failure.reason, code: failure.code, requestId: failure.requestId },
              answer: answer === undefined ? null : String(answer),
            },
    }
  }
