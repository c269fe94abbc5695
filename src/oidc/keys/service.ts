import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import { type Principal, systemPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import { type Retention, retentionOfRows } from '../../core/retention.ts'
import { objectWith, parseStored } from '../../core/stored-json.ts'
import type { OidcConfig } from '../config.ts'
import { oidcErrors } from '../contract.ts'
import { oidcEvents } from '../events.ts'
import { raiseVersion } from '../store.ts'
import { isSuccessorDue, type KeyState, keyLeadSeconds, keyTailSeconds, signsUntil, stateOf } from './rules.ts'
import * as store from './store.ts'

const privateJwk = objectWith<JWK>({ kty: 'text' })

/** The algorithms with a key pair. HS256 signs with the client's secret instead. */
export const keyAlgs = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

/** An opened key, for the library and the key set. */
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
  /** The start of the next key, published or planned; null if rotation is not scheduled. */
  readonly signsUntil: Date | null
  readonly retiresAt: Date | null
}

export interface Keys {
  /** Makes the first key of each algorithm that has none. Several nodes may call it at once. */
  ensure(): Promise<void>
  /** Reads and opens all keys. */
  load(db: Db): Promise<SigningKey[]>
  list(): Promise<ListedKey[]>
  /**
   * Adds the next key of each algorithm. The key is published at once and signs after the overlap. The key before it retires when the
   * last token that it signed has expired. Throws KEY_ROTATION_IS_UNDER_WAY if a next key is waiting already.
   */
  rotate(principal: Principal): Promise<ListedKey[]>
  /**
   * Publishes the next key of each algorithm whose key has signed for `oidc.keyRotationDays`. That is early enough for every verifier to
   * have the key when it signs. Returns the number of keys. If several nodes call it at once, one of them publishes the keys.
   */
  rotateDue(): Promise<number>
  /**
   * Withdraws all keys after a leak. New keys sign at once, and the old keys are no longer published. Throws KEY_ROTATION_IS_UNDER_WAY if
   * another process adds keys at the same moment.
   */
  revoke(principal: Principal): Promise<ListedKey[]>
  /** The time in seconds for which applications may cache the key set. */
  readonly cachedSeconds: number
  /** Deletes retired keys. */
  readonly retention: Retention
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'secrets' | 'signals' | 'events'> {
  readonly config: OidcConfig
}

export const createKeys = ({ db, transact, clock, random, secrets, signals, events, config }: Deps): Keys => {
  const lead = keyLeadSeconds(config)
  /** Makes a key. Making an RSA key takes a while, so it happens before the transaction. */
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
      signsUntil: signsUntil(row, rows, config, clock.after(lead)),
      retiresAt: row.retiresAt,
    }))

  /** Returns false if another process has replaced the key. */
  const replace = async (tx: Tx, from: store.KeyRow, to: store.KeyRow): Promise<boolean> => {
    const retiresAt = new Date(to.signsFrom.getTime() + keyTailSeconds(config) * 1000)
    return (await store.insertKey(tx, to)) && (await store.retireKey(tx, from.id, retiresAt))
  }
  const recordRotation = (tx: Tx, principal: Principal, next: readonly store.KeyRow[], signsFrom: Date) =>
    events.record(tx, principal, oidcEvents['keys.rotated'], {
      subject: 'signing keys',
      data: { keyIds: next.map(({ id }) => id), signFrom: signsFrom.toISOString() },
    })

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
      // A key that starts later than any rotation would set comes from a clock that was ahead. It must not block a rotation.
      const latest = clock.after(lead)
      const waiting = current.find((row) => stateOf(row, rows, now) === 'next' && row.signsFrom <= latest)
      if (waiting !== undefined)
        throw oidcErrors.error('KEY_ROTATION_IS_UNDER_WAY', {
          message: `The next keys are published already and sign from ${waiting.signsFrom.toISOString()}; rotate again after that`,
        })
      const signsFrom = clock.after(config.keyOverlapSeconds)
      const next = await Promise.all(keyAlgs.map((alg) => makeKey(alg, (newestOf(rows, alg)?.generation ?? 0) + 1, signsFrom)))
      await transact(async (tx) => {
        for (const row of next) {
          const from = newestOf(rows, row.alg)
          if (from === undefined) await store.insertKey(tx, { ...row, signsFrom: now })
          else if (!(await replace(tx, from, row))) throw oidcErrors.error('KEY_ROTATION_IS_UNDER_WAY')
        }
        await recordRotation(tx, principal, next, signsFrom)
        await raiseVersion(tx, signals)
      })
      return listed(await store.listKeys(db))
    },
    rotateDue: async () => {
      const rows = await store.listKeys(db)
      const due = keyAlgs.flatMap((alg) => newestOf(rows, alg) ?? []).filter((row) => isSuccessorDue(row, config, clock.now()))
      if (due.length === 0) return 0
      const signsFrom = clock.after(lead)
      const next = await Promise.all(due.map(({ alg, generation }) => makeKey(alg, generation + 1, signsFrom)))
      const published = await transact(async (tx) => {
        const won: store.KeyRow[] = []
        for (const [i, from] of due.entries()) {
          const to = next[i]
          if (to !== undefined && (await replace(tx, from, to))) won.push(to)
        }
        if (won.length === 0) return won
        await recordRotation(tx, systemPrincipal(random.requestId()), won, signsFrom)
        await raiseVersion(tx, signals)
        return won
      })
      return published.length
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
