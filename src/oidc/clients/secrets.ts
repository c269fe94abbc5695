import { can } from '../../access/can.ts'
import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { daySeconds } from '../../core/time.ts'
import type { OidcConfig } from '../config.ts'
import { oidcErrors } from '../contract.ts'
import { oidcEvents } from '../events.ts'
import { requireCovered } from './permissions.ts'
import { requireSecret, type SecretState, stateOf } from './rules.ts'
import { createSecretMaker } from './secret-maker.ts'
import type { Clients } from './service.ts'
import * as store from './store.ts'

/** A secret in a list: its state and times, without its value. */
export interface ListedSecret {
  readonly id: string
  readonly hint: string | null
  readonly state: SecretState
  readonly createdAt: Date
  /** Null for a secret that is valid until it is rotated or removed. */
  readonly expiresAt: Date | null
  /** The time at which the secret was last used, at most a few minutes late; null if it was never used. */
  readonly lastUsedAt: Date | null
}

export interface Rotation {
  /** Seconds for which the previous secret stays valid. With 0 the previous secret ends at once. The default is `oidc.secretOverlapSeconds`. */
  readonly overlapSeconds?: number | undefined
  /** A secret that the operator chooses. By default the secret is random. */
  readonly secret?: string | undefined
}

export interface RotatedSecret {
  readonly clientId: string
  readonly secretId: string
  /** The new secret. No other call returns its value. */
  readonly secret: string
  /** All secrets of the client. The newest comes first. */
  readonly secrets: readonly ListedSecret[]
}

/** Manages the secrets of clients. At most two secrets of a client are valid at the same time. */
export interface ClientSecrets {
  /** The secrets of a client, including those that have ended since the last rotation. The newest comes first. Throws APPLICATION_NOT_FOUND. */
  list(principal: Principal, clientId: string): Promise<readonly ListedSecret[]>
  /**
   * Makes a new secret for the client, and lets the previous secret expire. Throws APPLICATION_NOT_FOUND, CLIENT_HAS_NO_SECRET and
   * CLIENT_SECRET_IS_TOO_WEAK. Throws SECRET_ROTATION_IS_UNDER_WAY if two secrets are valid already, or if a simultaneous rotation has
   * finished before.
   */
  rotate(principal: Principal, clientId: string, rotation: Rotation): Promise<RotatedSecret>
  /** Ends one secret of the client at once. Its other secrets stay. Throws APPLICATION_NOT_FOUND and SECRET_NOT_FOUND. */
  revoke(principal: Principal, clientId: string, secretId: string): Promise<readonly ListedSecret[]>
  /**
   * At most 100 secrets that expire within the next two days and were used within the last two days. The applications that use them are
   * about to lose access.
   */
  endingInUse(): Promise<readonly store.EndingSecret[]>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'secrets' | 'events'> {
  readonly clients: Clients
  readonly config: Pick<OidcConfig, 'secretOverlapSeconds'>
}

const { error } = oidcErrors
const notFound = () => error('APPLICATION_NOT_FOUND')

export const createClientSecrets = (deps: Deps): ClientSecrets => {
  const { db, transact, clock, events, clients, config } = deps
  const maker = createSecretMaker(deps)
  const listed = (rows: readonly store.SecretRow[]): readonly ListedSecret[] =>
    rows.map((row) => ({ ...row, state: stateOf(row, clock.now()) })).reverse()

  const lock = async (tx: Tx, principal: Principal, clientId: string): Promise<store.ClientRow> => {
    const client = await store.lockClient(tx, clientId)
    if (client === undefined) throw notFound()
    if (!can(principal, 'clients:update')) throw coreErrors.error('FORBIDDEN')
    // Whoever knows the secret can use the permissions of the client. The caller therefore needs all of these permissions.
    requireCovered(principal, client.permissions)
    return client
  }

  return {
    list: async (principal, clientId) => {
      if (!can(principal, 'clients:read')) throw coreErrors.error('FORBIDDEN')
      const client = await store.findClient(db, clientId)
      if (client === undefined) throw notFound()
      return listed(await store.listSecrets(db, client.id))
    },
    endingInUse: async () => {
      const usedSince = clock.after(-daySeconds)
      return store.listEndingSecrets(db, { now: clock.now(), until: clock.after(2 * daySeconds), usedSince, limit: 100 })
    },
    rotate: async (principal, clientId, { overlapSeconds = config.secretOverlapSeconds, secret: given }) => {
      const before = await store.findClient(db, clientId)
      if (before === undefined) throw notFound()
      const seen = (await store.listSecrets(db, before.id)).map(({ id }) => id)
      return transact(async (tx) => {
        const client = await lock(tx, principal, clientId)
        requireSecret({ ...client, authMethod: client.metadata.authMethod })
        const rows = await store.listSecrets(tx, client.id)
        // If two rotations are simultaneous, the second one must not end the secret that the first one has just returned.
        if (rows.some(({ id }) => !seen.includes(id)))
          throw error('SECRET_ROTATION_IS_UNDER_WAY', {
            message: 'The client got another secret at the same moment; look at it first',
          })
        const now = clock.now()
        const live = rows.filter((row) => stateOf(row, now) !== 'ended')
        const [oldest] = live
        if (overlapSeconds > 0 && live.length > 1)
          throw error('SECRET_ROTATION_IS_UNDER_WAY', {
            message: `Two secrets count already${
              oldest?.expiresAt ? `, ${oldest.id} until ${oldest.expiresAt.toISOString()}` : ''
            }; take one back before the next rotation`,
          })
        const kept = overlapSeconds > 0 ? live : []
        const gone = rows.filter((row) => !kept.includes(row))
        for (const row of gone) await store.deleteSecret(tx, client.id, row.id)
        const until = clock.after(overlapSeconds)
        const ending = kept.map((row) => ({
          ...row,
          expiresAt: row.expiresAt !== null && row.expiresAt < until ? row.expiresAt : until,
        }))
        for (const { id, expiresAt } of ending) await store.endSecret(tx, id, expiresAt)
        const { secret, row } = maker.make(client, kept.some(({ slot }) => slot === 1) ? 2 : 1, given)
        await store.insertSecret(tx, row)
        await events.record(tx, principal, oidcEvents['client.secret_rotated'], {
          subject: clientId,
          data: {
            id: row.id,
            ended: live.filter((one) => gone.includes(one)).map(({ id }) => id),
            ending: ending.map(({ id, expiresAt }) => ({ id, at: expiresAt.toISOString() })),
          },
        })
        await clients.changed(tx)
        return { clientId, secretId: row.id, secret, secrets: listed([...ending, row]) }
      })
    },
    revoke: async (principal, clientId, secretId) =>
      transact(async (tx) => {
        const client = await lock(tx, principal, clientId)
        if (!(await store.deleteSecret(tx, client.id, secretId))) throw error('SECRET_NOT_FOUND')
        await events.record(tx, principal, oidcEvents['client.secret_revoked'], { subject: clientId, data: { id: secretId } })
        await clients.changed(tx)
        return listed(await store.listSecrets(tx, client.id))
      }),
  }
}
