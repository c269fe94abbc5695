/**
 * Steps that creating a key and rotating its secret share. They set the expiry, and check the limit of keys, the creator, and the
 * strength of the creator's session.
 */
import type { PermittedPrincipal } from '../access/principal.ts'
import type { Sessions } from '../authentication/sessions/index.ts'
import type { Core } from '../core/core.ts'
import { sha256 } from '../core/crypto.ts'
import { lockName, lockRow, type Tx } from '../core/db/database.ts'
import type { Users } from '../identity/users/index.ts'
import type { ApiKeysConfig } from './config.ts'
import { apiKeyErrors } from './contract.ts'
import { newKeyText } from './key-text.ts'
import type { KeyOwner } from './store.ts'
import * as store from './store.ts'

export interface IssueDeps extends Pick<Core, 'clock' | 'random'> {
  readonly config: ApiKeysConfig
  readonly users: Pick<Users, 'require'>
  readonly sessions: Pick<Sessions, 'authenticationOf'>
}

const { error } = apiKeyErrors

/** The id of the person who creates a key or secret; null for a program. */
export const makerOf = (principal: PermittedPrincipal) => (principal.kind === 'user' ? principal.user.id : null)

/** The time at which a key with this lifetime expires. `undefined` means the default lifetime of the configuration. */
export const endOf = ({ clock, config }: IssueDeps, expiresIn: number | null | undefined): Date | null => {
  const seconds = expiresIn === undefined ? config.expiresInSeconds : expiresIn
  const longest = config.longestExpiresInSeconds
  if (longest !== null && (seconds === null || seconds > longest))
    throw error('API_KEY_LIFE_IS_TOO_LONG', {
      issues: [{ path: 'expiresIn', message: `at most ${longest} seconds, by apiKeys.longestExpiresInSeconds` }],
    })
  return seconds === null ? null : clock.after(seconds)
}

const lockOwner = async (tx: Tx, { ownerKind, userId, organizationId }: KeyOwner) => {
  if (userId !== null) return lockRow(tx, 'user', userId)
  if (organizationId !== null) return lockRow(tx, 'organization', organizationId)
  return lockName(tx, `api-keys of the ${ownerKind}`)
}

/** Locks the owner and checks that another key is allowed. Throws API_KEY_LIMIT_REACHED. */
export const requireRoom = async ({ config }: IssueDeps, tx: Tx, owner: KeyOwner) => {
  await lockOwner(tx, owner)
  const most = { user: config.limitPerUser, organization: config.limitPerOrganization, instance: config.limitOfInstance }
  if ((await store.countKeys(tx, owner)) >= most[owner.ownerKind]) throw error('API_KEY_LIMIT_REACHED')
}

/** Stores the hash of a new secret of the key. Returns the text of the key. */
export const addSecret = async (
  { random }: IssueDeps,
  tx: Tx,
  principal: PermittedPrincipal,
  key: Pick<store.KeyRow, 'id' | 'ownerKind'>,
  now: Date,
): Promise<string> => {
  const text = newKeyText(random, key.ownerKind, key.id)
  const row = { hash: sha256(text), keyId: key.id, createdAt: now, createdBy: makerOf(principal) }
  await store.insertSecret(tx, { ...row, expiresAt: null, lastUsedAt: null })
  return text
}

/** A key of an organization sends mail and acts for all members, so the person who creates it needs a verified address. */
export const requireVerifiedMaker = async (
  { users }: IssueDeps,
  tx: Tx,
  principal: PermittedPrincipal,
  { ownerKind }: KeyOwner,
) => {
  if (ownerKind !== 'organization' || principal.kind !== 'user') return
  if (!(await users.require(tx, principal.user.id)).emailVerified) throw error('API_KEY_NEEDS_A_MAKER_WITH_A_VERIFIED_ADDRESS')
}

/**
 * The number of factors in the session in which a key is created. Without a session, a person's key counts as created with one factor and
 * every other key with two.
 */
export const authenticationOf = async (
  { sessions }: IssueDeps,
  tx: Tx,
  principal: PermittedPrincipal,
  { ownerKind }: KeyOwner,
) => {
  if (principal.kind !== 'user') return { factors: ownerKind === 'user' ? 1 : 2, acr: null }
  const { id, factors } = principal.session
  return { factors, acr: (await sessions.authenticationOf(tx, id))?.acr ?? null }
}
