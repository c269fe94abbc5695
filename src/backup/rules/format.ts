import { z } from 'zod'
import type { PassphraseSealed } from '../../core/passphrase.ts'
import { columnKinds } from './values.ts'

/** Version of the file format. It is increased when older versions of gatehouse could not read the file. */
export const formatVersion = 1

/** The sealing context of the master secrets in the header. Data that was sealed with another context cannot take their place. */
export const keysContext = 'gatehouse backup keys 1'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const secretId = z.string().regex(/^[0-9a-f]{8}$/)
const count = z.int().min(0)
const name = z.string().min(1).max(63)

/**
 * A configuration key, such as `sessions.freshAgeSeconds`. No part of it may be the name of a property that every object has, such as
 * `__proto__`.
 */
const settingKey = z
  .string()
  .max(300)
  .regex(/^[a-z0-9][\w-]*(\.[a-z0-9][\w-]*)*$/i)

const base64 = z.base64().max(1_000_000)

/** The sealed master secrets. The limits prevent that a forged header exhausts memory. */
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

/** The part of the header that all versions have in common. It is parsed first, because another version may have other lines. */
export const AnyHeader = z.looseObject({ gatehouseBackup: z.int(), gatehouse: z.string().max(64) })

/** The first line of the file. */
export const Header = z.strictObject({
  /** Version of the file format. */
  gatehouseBackup: z.literal(formatVersion),
  /** Version of gatehouse that wrote the file. */
  gatehouse: z.string().max(64),
  /** Names of the migrations that had run in the database, in their order. They determine the schema. */
  migrations: z.array(z.string().max(255)).min(1),
  madeAt: z.iso.datetime(),
  /** Public URL of the instance. */
  url: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  /** Ids of the master secrets, newest first, as `gatehouse reencrypt --status` shows them. */
  secretIds: z.array(secretId).min(1).max(10),
  /** The master secrets as a sealed JSON list. Null if the file does not contain them. */
  keys: Keys.nullable(),
  /** Values of the configuration by key, without secrets. Backups of earlier versions contain none. */
  configuration: z.record(settingKey, z.json()).default({}),
  /** Configuration keys with secret values. The values are not in the file and have to be stored elsewhere. */
  secrets: z.array(settingKey).max(1_000).default([]),
})
export type Header = z.output<typeof Header>

/** The line before the rows of a table. Each row is a line with a JSON list of values, in the order of the columns. */
export const TableStart = z.strictObject({
  table: name,
  columns: z.array(z.strictObject({ name, kind: z.enum(columnKinds) })).min(1),
})
export type TableStart = z.output<typeof TableStart>

/** The line after the rows of a table. Its hash covers all rows, each with its line feed. */
export const TableEnd = z.strictObject({ end: name, rows: count, sha256 })
export type TableEnd = z.output<typeof TableEnd>

/** The line before the last one. `sealedWith` contains the ids of the master secrets that seal values in the file. */
export const Total = z.strictObject({ tables: count, rows: count, sealedWith: z.array(secretId) })
export type Total = z.output<typeof Total>

/**
 * The last line, which always has the same length. Its hash covers all bytes of the compressed file before it. `mac` authenticates that
 * hash with the newest master secret, so nobody else can write a valid backup of this instance.
 */
export const Trailer = z.strictObject({ gatehouseBackupEnd: z.literal(formatVersion), sha256, mac: z.base64().length(44) })
export type Trailer = z.output<typeof Trailer>

/** How long a line can be at most, in bytes. The largest rows are deliveries of the billing platform, with about a megabyte. */
export const maximumLine = 64 * 1024 * 1024
