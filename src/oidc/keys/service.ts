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

/** The algorithms that use a key pair. HS256 uses the client's secret, so it has no keys here. */
export const keyAlgs = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

/** A signing key whose private part was decrypted, for the library and the published key set. */
export interface SigningKey {
  readonly alg: string
  readonly generation: number
  readonly signsFrom: Date
  readonly retiresAt: Date | null
  readonly publicKey: JWK
  readonly privateKey: JWK
}

/** A signing key without its private part, as operators see it. */
export interface ListedKey {
  readonly kid: string
  readonly alg: string
  readonly state: KeyState
  readonly createdAt: Date
  readonly signsFrom: Date
  /** The time at which the next key starts to sign, whether that key exists or is only planned; null if there is neither. */
  readonly signsUntil: Date | null
  readonly retiresAt: Date | null
}

export interface Keys {
  /** Makes the first key of each algorithm that has none. Several nodes may call it at the same time. */
  ensure(): Promise<void>
  /** Reads all keys and decrypts their private parts. */
  load(db: Db): Promise<SigningKey[]>
  list(): Promise<ListedKey[]>
  /**
   * Adds the next key of each algorithm. The key is published at once, and signs after the overlap. Its predecessor stays published until
   * the last token that it signed has expired. Throws KEY_ROTATION_IS_UNDER_WAY if there is a next key already.
   */
  rotate(principal: Principal): Promise<ListedKey[]>
  /**
   * Publishes the next key of each algorithm whose key has been signing for `oidc.keyRotationDays`. The next key is published so early
   * that every verifier knows it before it signs. Returns the number of published keys. If several nodes call this at the same time, only
   * one of them publishes keys.
   */
  rotateDue(): Promise<number>
  /**
   * Replaces all keys after a private key has leaked. New keys sign at once, and the old keys are not published any more. Throws
   * KEY_ROTATION_IS_UNDER_WAY if another process adds keys at the same time.
   */
  revoke(principal: Principal): Promise<ListedKey[]>
  /** The time in seconds for which applications may cache the key set. */
  readonly cachedSeconds: number
  /** The retention rule that deletes retired keys. */
  readonly retention: Retention
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'secrets' | 'signals' | 'events'> {
  readonly config: OidcConfig
}

export const createKeys = ({ db, transact, clock, random, secrets, signals, events, config }: Deps): Keys => {
  const lead = keyLeadSeconds(config)
  /** Makes a key. Call it before a transaction, because making an RSA key takes a while. */
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

  /** Replaces a key by its successor. Returns false if another process has replaced the key. */
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
      // A key that starts later than any rotation would plan it was made when the clock was ahead. Such a key must not prevent a
      // rotation.
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
