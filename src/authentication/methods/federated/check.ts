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

/** True for an id that may be another number after `JSON.parse` and `String`: it is beyond 53 bits, and equals its double. */
const mayBeRounded = (accountId: string): boolean => {
  const value = Number(accountId)
  return Number.isInteger(value) && !Number.isSafeInteger(value) && String(value) === accountId
}

/** The shortest number beyond 53 bits: 9007199254740992. */
const shortest = 16

/** Providers that are not built in and may have numeric ids; the subject of OpenID Connect is text. */
const providersIn = ({ providers }: SocialConfig): readonly string[] =>
  Object.entries(providers).flatMap(([id, { clientId, claims, issuer, discoveryUrl }]) => {
    const isSubject = (issuer ?? discoveryUrl) !== undefined && claims.id === 'sub'
    return clientId === undefined || id in knownProviders || isSubject ? [] : id
  })

interface Deps extends Pick<Core, 'db'> {
  readonly identities: Pick<Identities, 'listLongIds'>
  readonly config: SocialConfig
}

/** Links that earlier versions made with a rounded number: two people may have become one account. */
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
