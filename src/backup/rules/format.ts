import { z } from 'zod'
import type { PassphraseSealed } from '../../core/passphrase.ts'
import { columnKinds } from './values.ts'

/** Increased when older versions of gatehouse cannot read the file. */
export const formatVersion = 1

/** The context with which the master secrets in the header are sealed. */
export const keysContext = 'gatehouse backup keys 1'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const secretId = z.string().regex(/^[0-9a-f]{8}$/)
const count = z.int().min(0)
const name = z.string().min(1).max(63)

/**
 * The name of a key, for example `sessions.freshAgeSeconds`. No part may be the name of a property that every object has, such as
 * `__proto__`.
 */
const settingKey = z
  .string()
  .max(300)
  .regex(/^[a-z0-9][\w-]*(\.[a-z0-9][\w-]*)*$/i)

const base64 = z.base64().max(1_000_000)

/** The limits keep a forged header from exhausting memory. */
const Keys: z.ZodType<PassphraseSealed> = z.strictObject({
  kdf: z.literal('scrypt'),
  n: z.literal([16_384, 32_768, 65_536, 131_072, 262_144, 524_288]),
  r: z.int().min(1).max(16),
  p: z.int().min(1).max(8),
  salt: base64,
  cipher: z.literal('aes-256-gcm'),
  nonce: base64,
  sealed: base64,
})

/** Read first: another version of the format may have other lines. */
export const AnyHeader = z.looseObject({ gatehouseBackup: z.int(), gatehouse: z.string().max(64) })

/** The first line of the file. */
export const Header = z.strictObject({
  /** Version of the format. */
  gatehouseBackup: z.literal(formatVersion),
  /** Version of gatehouse that wrote the file. */
  gatehouse: z.string().max(64),
  /** The schema: the migrations that had run in the database, in their order. */
  migrations: z.array(z.string().max(255)).min(1),
  madeAt: z.iso.datetime(),
  /** Public address of the instance. */
  url: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  /** Ids of the master secrets, newest first, as `gatehouse reencrypt --status` shows them. */
  secretIds: z.array(secretId).min(1).max(10),
  /** The sealed master secrets, as a JSON list. Null if the file does not contain them. */
  keys: Keys.nullable(),
  /** Configured keys by their dotted names, without secrets. Backups of earlier versions have none. */
  configuration: z.record(settingKey, z.json()).default({}),
  /** Names of the secret keys, whose values have to be stored separately. */
  secrets: z.array(settingKey).max(1_000).default([]),
})
export type Header = z.output<typeof Header>

/** The line before the rows of a table. Each row is a line of its own: a JSON list of values in the order of the columns. */
export const TableStart = z.strictObject({
  table: name,
  columns: z.array(z.strictObject({ name, kind: z.enum(columnKinds) })).min(1),
})
export type TableStart = z.output<typeof TableStart>

/** The line after the rows of a table. The hash covers the rows, each with its line feed. */
export const TableEnd = z.strictObject({ end: name, rows: count, sha256 })
export type TableEnd = z.output<typeof TableEnd>

/** The line before the last one. `sealedWith`: ids of the master secrets that seal values in the file. */
export const Total = z.strictObject({ tables: count, rows: count, sealedWith: z.array(secretId) })
export type Total = z.output<typeof Total>

/**
 * The last line, which has a fixed length. The hash covers all earlier bytes of the compressed file. `mac` authenticates the hash with
 * the newest master secret, so that only this instance can write its backups.
 */
export const Trailer = z.strictObject({ gatehouseBackupEnd: z.literal(formatVersion), sha256, mac: z.base64().length(44) })
export type Trailer = z.output<typeof Trailer>

/** Length of the longest line. The largest rows are deliveries of the billing platform, with about a megabyte. */
export const maximumLine = 64 * 1024 * 1024
