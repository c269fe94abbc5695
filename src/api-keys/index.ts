import type { InstanceRoles } from '../access/roles.ts'
import { factorAdditions, factorRemovals } from '../authentication/factor-administration/events.ts'
import { passwordEvents } from '../authentication/methods/password/contract.ts'
import { secondFactorEvents } from '../authentication/second-factors/contract.ts'
import type { Sessions } from '../authentication/sessions/index.ts'
import { sharedKeyPrefix, verificationEvents } from '../authentication/verification/events.ts'
import { beforeCommit } from '../core/db/database.ts'
import { reactTo } from '../core/events/record.ts'
import { periodic, sweepSeconds } from '../core/queue.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import type { Users } from '../identity/users/index.ts'
import type { RateLimits } from '../limits/index.ts'
import type { Memberships, Organizations } from '../organizations/index.ts'
import { createAuthenticate } from './authenticate.ts'
import { createAuthorities } from './authority.ts'
import { apiKeyCommands } from './cli.ts'
import { type ApiKeysConfig, apiKeysConfig } from './config.ts'
import { apiKeyErrors } from './contract.ts'
import { apiKeyEvents } from './events.ts'
import { createLastUse } from './last-use.ts'
import { apiKeyRoutes } from './routes.ts'
import { type ApiKeys, createApiKeys } from './service.ts'
import { listGivenTo, listKeyNames, listOfUser, ownKeys, pageOfKeys } from './store.ts'

export type { ApiKeys }

type AskedMemberships = Pick<Memberships, 'find' | 'lock' | 'idOf'>

interface Needs {
  readonly users: Users
  readonly sessions: Pick<Sessions, 'requireAlive' | 'authenticationOf'>
  /** Undefined in an instance without organizations. */
  readonly organizations?: Pick<Organizations, 'require'>
  readonly memberships?: AskedMemberships
  readonly instanceRoles: InstanceRoles
  readonly rateLimits: RateLimits | undefined
}

/** Used in an instance without organizations: nobody is a member of any organization. */
const noMemberships: AskedMemberships = {
  find: async () => undefined,
  lock: async () => undefined,
  idOf: async (_db, idOrSlug) => idOrSlug,
}
const noOrganizations: Pick<Organizations, 'require'> = {
  require: async () => {
    throw apiKeyErrors.error('YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY', { message: 'There are no organizations here' })
  },
}

/** The ids of API keys in the list of what was added to an account (`Noticed`). */
const keysIn = (added: readonly string[]) =>
  added.filter((name) => name.startsWith(sharedKeyPrefix)).map((name) => name.slice(sharedKeyPrefix.length))

const build = (base: Base, { apiKeys: config }: { readonly apiKeys: ApiKeysConfig }, needs: Needs) => {
  const { memberships = noMemberships, organizations = noOrganizations } = needs
  const deps = { ...base, ...needs, config, memberships, organizations }
  const lastUse = createLastUse(base)
  const apiKeys = createApiKeys({ ...deps, authorities: createAuthorities(deps) })
  const authenticateKey = createAuthenticate({ ...deps, lastUse, readFields: needs.users.fieldsOf })
  return {
    names: [{ kinds: ['api-key', 'api_key'], permission: 'api-keys:read', list: listKeyNames }],
    personalData: [ownKeys],
    holdings: async (db, userId) => ({
      apiKeys: (await listOfUser(db, userId)).length + (await listGivenTo(db, userId, new Date(0), [])).length,
    }),
    withheldData: [
      { table: 'api_key_secret', why: 'hashes of secrets, and to whom they were shown: the keys themselves are in it' },
    ],
    api: { apiKeys, authenticateKey },
    routes: apiKeyRoutes(apiKeys, base.names),
    jobs: [lastUse.job],
    retentions: [apiKeys.retention],
    comingBack: async (db, most) => {
      const { found } = await pageOfKeys(db, {}, { order: 'desc', limit: most, after: undefined })
      const works = found.filter(
        ({ row: { enabled, expiresAt } }) => enabled && (expiresAt === null || expiresAt > base.clock.now()),
      )
      return {
        'API keys that work, also those that were revoked since the backup': works.map(
          ({ row: { id, name } }) => `${id} ${name}`,
        ),
      }
    },
    tasks: [periodic('api-keys.sweep', sweepSeconds, apiKeys.retention.sweep)],
    reactions: [
      // The account has a new owner. The API keys of the former owner are deleted, so that the former owner has no access.
      reactTo(verificationEvents['user.claimed'], async (tx, { subjectId }, { actor, transient: { isTakenOver } }) => {
        await apiKeys.revokeOfUser(tx, actor, subjectId)
        if (isTakenOver) await apiKeys.revokeGiven(tx, actor, subjectId, new Date(0), [])
      }),
      // A person has reported the session. It ends now, and a thief may have created API keys in it.
      reactTo(verificationEvents['user.activity_reported'], async (tx, { subjectId }, { actor, transient: { at, added } }) => {
        await apiKeys.revokeOfUser(tx, actor, subjectId)
        if (at !== undefined) await apiKeys.revokeGiven(tx, actor, subjectId, at, keysIn(added))
      }),
      reactTo(secondFactorEvents['second_factor.enabled'], (tx, { subjectId }, { actor }) =>
        apiKeys.revokeOfOneFactor(tx, actor, subjectId),
      ),
      ...factorAdditions.map((type) => reactTo(type, (tx, { subjectId }) => apiKeys.strengthen(tx, subjectId))),
      ...factorRemovals.map((type) =>
        reactTo(type, async (tx, { subjectId }) =>
          beforeCommit(tx, async () => {
            const user = await needs.users.find(tx, subjectId)
            if (user?.secondFactorSince === null) await apiKeys.weaken(tx, subjectId)
          }),
        ),
      ),
      reactTo(passwordEvents['user.password_reset'], (tx, { subjectId }, { actor }) =>
        apiKeys.revokeOfUser(tx, actor, subjectId),
      ),
    ],
  } satisfies Built
}

export const apiKeysFeature = defineFeature({
  name: 'apiKeys',
  config: { apiKeys: apiKeysConfig },
  errors: apiKeyErrors.table,
  events: apiKeyEvents,
  commands: [apiKeyCommands],
  build,
})
