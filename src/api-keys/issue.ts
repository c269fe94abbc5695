/**
 * Steps that are the same for creating an API key and for rotating its secret: computing when it ends, and checking the number of keys,
 * the creator, and how the creator signed in.
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

/** The id of the person who creates an API key or a secret. Null if the principal is not a person. */
export const makerOf = (principal: PermittedPrincipal) => (principal.kind === 'user' ? principal.user.id : null)

/** When an API key with this lifetime expires. If `expiresIn` is undefined, the configuration gives the lifetime. */
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

/** Locks the owner until the transaction ends, and checks that the owner may have one more API key. Throws API_KEY_LIMIT_REACHED. */
export const requireRoom = async ({ config }: IssueDeps, tx: Tx, owner: KeyOwner) => {
  await lockOwner(tx, owner)
  const most = { user: config.limitPerUser, organization: config.limitPerOrganization, instance: config.limitOfInstance }
  if ((await store.countKeys(tx, owner)) >= most[owner.ownerKind]) throw error('API_KEY_LIMIT_REACHED')
}

/** Makes a new secret for an API key and stores its hash. Returns the complete text of the key. */
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

/** An organization's API key sends mail and acts for all members. So the person who creates it must have a verified email address. */
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
 * How many kinds of factors were proved in the session in which the API key is created. If it is not created in a session, a person's key
 * counts as created with one factor, and any other key as created with two.
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
