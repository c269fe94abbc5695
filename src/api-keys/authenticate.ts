import { isIPv6 } from 'node:net'
import { isBanned } from '../access/ban.ts'
import { canKeyOf } from '../access/key-permissions.ts'
import { isLackingSecondFactor } from '../access/lacking-factor.ts'
import { permissions as known, type Permission } from '../access/permissions.ts'
import type { ApiKeyPrincipal } from '../access/principal.ts'
import { defaultRole, type InstanceRoles } from '../access/roles.ts'
import type { Core } from '../core/core.ts'
import { sha256 } from '../core/crypto.ts'
import { coreErrors } from '../core/errors.ts'
import { groupsOf } from '../core/network.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { Users } from '../identity/users/index.ts'
import type { RateLimits } from '../limits/index.ts'
import type { ApiKeysConfig } from './config.ts'
import { apiKeyErrors } from './contract.ts'
import { isKeyText } from './key-text.ts'
import type { LastUse } from './last-use.ts'
import { isAllowedFrom, isOver, isUseDue } from './rules.ts'
import * as store from './store.ts'

interface Deps extends Pick<Core, 'db' | 'clock'> {
  readonly config: ApiKeysConfig
  readonly lastUse: Pick<LastUse, 'note'>
  readonly instanceRoles: Pick<InstanceRoles, 'permissionsOfRoles'>
  readonly readFields: Users['fieldsOf']
  readonly rateLimits: RateLimits | undefined
}

const minuteSeconds = 60

/**
 * The IP address for which wrong API keys are counted. An IPv6 address is cut to its /64, because one client usually has all addresses of
 * that network.
 */
const clientOf = (address: string) => (isIPv6(address) ? groupsOf(address, 4) : address)

/**
 * Makes the function that finds the principal of an API key, with one read. If anything is wrong, the function throws, so that a call
 * with a wrong API key is never treated as a call without one.
 */
export const createAuthenticate = ({ db, clock, config, lastUse, instanceRoles, readFields, rateLimits }: Deps) => {
  const limit = async (key: string, max: number, windowSeconds: number) => {
    const wait = rateLimits === undefined ? 0 : await rateLimits.limiter.hit(key, max, windowSeconds)
    if (wait > 0) throw coreErrors.error('TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER', { retryAfterSeconds: wait })
  }

  /**
   * Only wrong API keys are counted, for each IP address. A client with a right key is served even if another client at its address has
   * used wrong ones.
   */
  const refuseWrongKey = async (address: string): Promise<never> => {
    if (rateLimits !== undefined)
      await limit(`wrong-api-key:${clientOf(address)}`, rateLimits.strict.max, rateLimits.strict.windowSeconds)
    throw apiKeyErrors.error('INVALID_API_KEY')
  }

  /** The permissions of the API key. A permission on the instance counts only while the person behind the key has it, too. */
  const permissionsOf = (
    { permissions, ownerKind, factors }: store.KeyRow,
    user: store.FoundKey['user'],
  ): ReadonlySet<Permission> => {
    // An API key never allows more than the session in which it was created.
    const role = user !== undefined && isLackingSecondFactor(user, { factors }, clock.now()) ? defaultRole : user?.role
    const ofPerson = role === undefined ? undefined : instanceRoles.permissionsOfRoles(role)
    const has = (permission: Permission) =>
      canKeyOf(ownerKind, permission) && (known[permission] !== 'instance' || ofPerson === undefined || ofPerson.has(permission))
    return new Set(permissions.filter((name): name is Permission => Object.hasOwn(known, name) && has(name as Permission)))
  }

  return async (text: string, context: RequestContext): Promise<ApiKeyPrincipal> => {
    const hash = isKeyText(text) ? sha256(text) : undefined
    const found = hash === undefined ? undefined : await store.findBySecret(db, hash)
    if (found === undefined) return refuseWrongKey(context.address)
    const { key, secret, user } = found
    const now = clock.now()
    if (isOver(secret.expiresAt, now) || isOver(key.expiresAt, now)) throw apiKeyErrors.error('API_KEY_HAS_EXPIRED')
    if (!key.enabled || (key.ownerKind === 'user' && !config.personalEnabled)) throw apiKeyErrors.error('API_KEY_IS_DISABLED')
    if (user !== undefined && isBanned(user, now))
      throw apiKeyErrors.error('API_KEY_IS_DISABLED', { message: 'API key is disabled: its owner is banned' })
    if (!isAllowedFrom(key.allowedNetworks, context.address)) throw apiKeyErrors.error('API_KEY_IS_NOT_ALLOWED_FROM_THIS_ADDRESS')
    await limit(`api-key:${key.id}`, key.requestsPerMinute ?? config.requestsPerMinute, minuteSeconds)
    if (isUseDue(secret.lastUsedAt, now)) lastUse.note(secret.hash, now)
    const shared = {
      kind: 'api-key',
      ...context,
      actorId: key.id,
      permissions: permissionsOf(key, user),
      factors: key.factors,
    } as const
    if (user !== undefined) {
      const { bannedAt: _, banExpiresAt: __, secondFactorSince: ___, secondFactorDue: ____, ...person } = user
      return { ...shared, owner: 'user', user: { ...person, fields: readFields(person) } }
    }
    if (key.organizationId !== null) return { ...shared, owner: 'organization', organizationId: key.organizationId }
    return { ...shared, owner: 'instance' }
  }
}
