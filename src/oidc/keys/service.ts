import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import { type Retention, retentionOfRows } from '../../core/retention.ts'
import { objectWith, parseStored } from '../../core/stored-json.ts'
import type { OidcConfig } from '../config.ts'
import { oidcErrors } from '../contract.ts'
import { oidcEvents } from '../events.ts'
import { raiseVersion } from '../store.ts'
import { type KeyState, stateOf } from './rules.ts'
import * as store from './store.ts'

const privateJwk = objectWith<JWK>({ kty: 'text' })

/** Algorithms that have a key; HS256 signs with the client's secret. */
export const keyAlgs = ['RS256', 'ES256', 'EdDSA'] as const

/** A key in the open: for the library and for the key set. */
export interface SigningKey {
  readonly alg: string
  readonly generation: number
  readonly signsFrom: Date
  readonly retiresAt: Date | null
  readonly publicKey: JWK
  readonly privateKey: JWK
}

/** A key as operators see it. */
export interface ListedKey {
  readonly kid: string
  readonly alg: string
  readonly state: KeyState
  readonly createdAt: Date
  readonly signsFrom: Date
  readonly retiresAt: Date | null
}

export interface Keys {
  /** Makes the first key of each algorithm that has none; any number of nodes may do it at once. */
  ensure(): Promise<void>
  /** All keys, opened. */
  load(db: Db): Promise<SigningKey[]>
  list(): Promise<ListedKey[]>
  /**
   * Adds the next key of each algorithm. It is published at once and signs after the overlap; the key before it retires when the last
   * ID token it signed has expired. Throws KEY_ROTATION_IS_UNDER_WAY when a next key is waiting already.
   */
  rotate(principal: Principal): Promise<ListedKey[]>
  /**
   * Withdraws all keys after a leak: new ones sign at once, and the former are published no more. Throws KEY_ROTATION_IS_UNDER_WAY when
   * somebody else adds keys at the same moment.
   */
  revoke(principal: Principal): Promise<ListedKey[]>
  /** How long applications may keep the key set that they have read. */
  readonly cachedSeconds: number
  /** Of retired keys. */
  readonly retention: Retention
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'secrets' | 'signals' | 'events'> {
  readonly config: OidcConfig
}

export const createKeys = ({ db, transact, clock, secrets, signals, events, config }: Deps): Keys => {
  /** Made before the transaction: an RSA key takes a while. */
  const makeKey = async (alg: string, generation: number, signsFrom: Date): Promise<store.KeyRow> => {
    const pair = await generateKeyPair(alg, { extractable: true, modulusLength: config.rsaModulusLength })
    const publicJwk = await exportJWK(pair.publicKey)
    const id = await calculateJwkThumbprint(publicJwk)
    const named = { kid: id, alg, use: 'sig' }
    return {
      id,
      alg,
      generation,
      publicKey: { ...publicJwk, ...named },
      privateKey: secrets.seal(JSON.stringify({ ...(await exportJWK(pair.privateKey)), ...named }), store.contextOf(id)),
      createdAt: clock.now(),
      signsFrom,
      retiresAt: null,
    }
  }
  const newestOf = (rows: readonly store.KeyRow[], alg: string) => rows.filter((row) => row.alg === alg).at(-1)
  const listed = (rows: readonly store.KeyRow[]): ListedKey[] =>
    rows.map((row) => ({
      kid: row.id,
      alg: row.alg,
      state: stateOf(row, rows, clock.now()),
      createdAt: row.createdAt,
      signsFrom: row.signsFrom,
      retiresAt: row.retiresAt,
    }))

  const replace = async (tx: Tx, from: store.KeyRow, to: store.KeyRow) => {
    const longest = Math.max(config.idTokenTtlSeconds, config.accessTokenTtlSeconds) + config.keySkewSeconds
    const retiresAt = new Date(to.signsFrom.getTime() + longest * 1000)
    if (!(await store.insertKey(tx, to)) || !(await store.retireKey(tx, from.id, retiresAt)))
      throw oidcErrors.error('KEY_ROTATION_IS_UNDER_WAY')
  }

  return {
    ensure: async () => {
      const rows = await store.listKeys(db)
      const missing = keyAlgs.filter((alg) => newestOf(rows, alg) === undefined)
      if (missing.length === 0) return
      const made = await Promise.all(missing.map((alg) => makeKey(alg, 1, clock.now())))
      await transact(async (tx) => {
        for (const row of made) await store.insertKey(tx, row)
        await raiseVersion(tx, signals)
      })
    },
    load: async (reader) =>
      (await store.listKeys(reader)).map((row) => ({
        alg: row.alg,
        generation: row.generation,
        signsFrom: row.signsFrom,
        retiresAt: row.retiresAt,
        publicKey: row.publicKey,
        privateKey: parseStored(privateJwk, secrets.open(row.privateKey, store.contextOf(row.id))),
      })),
    list: async () => listed(await store.listKeys(db)),
    rotate: async (principal) => {
      const rows = await store.listKeys(db)
      const now = clock.now()
      const current = keyAlgs.flatMap((alg) => newestOf(rows, alg) ?? [])
      // A time further away than any rotation sets is of a clock that was ahead: nobody has to wait for it.
      const latest = clock.after(config.keyOverlapSeconds)
      const waiting = current.find((row) => stateOf(row, rows, now) === 'next' && row.signsFrom <= latest)
      if (waiting !== undefined)
        throw oidcErrors.error('KEY_ROTATION_IS_UNDER_WAY', {
          message: `The next keys are published already and sign from ${waiting.signsFrom.toISOString()}; rotate again after that`,
        })
      const signsFrom = latest
      const next = await Promise.all(keyAlgs.map((alg) => makeKey(alg, (newestOf(rows, alg)?.generation ?? 0) + 1, signsFrom)))
      await transact(async (tx) => {
        for (const row of next) {
          const from = newestOf(rows, row.alg)
          if (from !== undefined) await replace(tx, from, row)
          else await store.insertKey(tx, { ...row, signsFrom: now })
        }
        await events.record(tx, principal, oidcEvents['keys.rotated'], {
          subject: 'signing keys',
          data: { keyIds: next.map(({ id }) => id), signFrom: signsFrom.toISOString() },
        })
        await raiseVersion(tx, signals)
      })
      return listed(await store.listKeys(db))
    },
    revoke: async (principal) => {
      const rows = await store.listKeys(db)
      const next = await Promise.all(keyAlgs.map((alg) => makeKey(alg, (newestOf(rows, alg)?.generation ?? 0) + 1, clock.now())))
      await transact(async (tx) => {
        for (const row of next) if (!(await store.insertKey(tx, row))) throw oidcErrors.error('KEY_ROTATION_IS_UNDER_WAY')
        const withdrawn: string[] = []
        for (const { id } of rows) if (await store.withdrawKey(tx, id, clock.now())) withdrawn.push(id)
        await events.record(tx, principal, oidcEvents['keys.revoked'], {
          subject: 'signing keys',
          data: { keyIds: withdrawn, newKeyIds: next.map(({ id }) => id) },
        })
        await raiseVersion(tx, signals)
      })
      return listed(await store.listKeys(db))
    },
    cachedSeconds: config.documentCacheSeconds,
    retention: retentionOfRows({ db, transact }, 'signing keys', 'that have retired', () => store.retiredKeys(clock.now())),
  }
}
