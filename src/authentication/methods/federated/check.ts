import { type Check, defineFindings } from '../../../core/checks.ts'
import type { Core } from '../../../core/core.ts'
import type { Identities } from '../../../identity/identities/index.ts'
import type { SocialConfig } from './config.ts'
import { knownProviders } from './rules/known.ts'

const findings = defineFindings({
  'identities-rounded': {
    message:
      'Sign-in methods at {provider} that may belong to two people, since earlier versions rounded long numbers: {count} ({names})',
    remedy: 'compare the ids with those at {provider}; the owner unlinks a wrong account and links the right one',
  },
})

const mostRead = 5_000
const named = 5

/**
 * True for an id that earlier versions may have changed by rounding. Such an id is a whole number that JavaScript cannot represent
 * safely, and that stays the same when it is rounded again.
 */
const mayBeRounded = (accountId: string): boolean => {
  const value = Number(accountId)
  return Number.isInteger(value) && !Number.isSafeInteger(value) && String(value) === accountId
}

/** The number of digits of 9007199254740992, the smallest number that may be rounded. */
const shortest = 16

/**
 * The providers to check. Built-in providers are left out, and so are providers whose id is the claim `sub` of OpenID Connect, because
 * that is text.
 */
const providersIn = ({ providers }: SocialConfig): readonly string[] =>
  Object.entries(providers).flatMap(([id, { clientId, claims, issuer, discoveryUrl }]) => {
    const isSubject = (issuer ?? discoveryUrl) !== undefined && claims.id === 'sub'
    return clientId === undefined || id in knownProviders || isSubject ? [] : id
  })

interface Deps extends Pick<Core, 'db'> {
  readonly identities: Pick<Identities, 'listLongIds'>
  readonly config: SocialConfig
}

/** Finds linked accounts whose numeric id an earlier version has rounded. Two people at the provider may then share one account here. */
export const roundedIdsCheck = ({ db, identities, config }: Deps): Check => ({
  name: 'identities',
  texts: findings.texts,
  run: async () => {
    const found = []
    for (const provider of providersIn(config)) {
      const ids = await identities.listLongIds(db, provider, shortest, mostRead)
      const rounded = ids.filter(({ accountId }) => mayBeRounded(accountId))
      if (rounded.length === 0) continue
      const names = rounded.slice(0, named).map(({ accountId, userId }) => `${accountId} of ${userId}`)
      const more = rounded.length > named ? ', …' : ''
      found.push(
        findings.found('warning', 'identities-rounded', { provider, count: rounded.length, names: names.join(', ') + more }),
      )
    }
    return found
  },
})
