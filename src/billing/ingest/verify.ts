import type { Core } from '../../core/core.ts'
import { hmacSha256, safeEqual } from '../../core/crypto.ts'
import { billingErrors } from '../errors.ts'
import { configuredEndpoint, keysOf } from './rules.ts'
import * as store from './store/endpoints.ts'

/** Headers as Node passes them, with lower-case names. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** A delivery signed with a secret of the endpoint. */
export interface Verified {
  readonly webhookId: string
  /** Time of this attempt to deliver, in seconds. */
  readonly timestamp: number
}

/** Verifies a delivery. Throws one of the five errors for a delivery that cannot be verified (billing specification, section 8). */
export type Verifier = (headers: Headers, body: Buffer, now: Date, toleranceSeconds: number) => Verified

/** Several headers of one name are equal to one list (RFC 9110, section 5.3). */
const headerOf = (headers: Headers, name: string): string => {
  const value = headers[name]
  return typeof value === 'string' || value === undefined ? (value ?? '') : value.join(', ')
}

const wholeSeconds = /^(0|[1-9]\d*)$/
/** Entries of other versions and malformed entries are skipped. */
const entryPattern = /^v1,[A-Za-z0-9+/]{43}=$/

/** Checks the three headers in the order of billing-events.md, section 3. Needs no body. Throws the first four errors. */
export const readHeaders = (headers: Headers, now: Date, toleranceSeconds: number) => {
  const id = headerOf(headers, 'webhook-id')
  const time = headerOf(headers, 'webhook-timestamp')
  const signature = headerOf(headers, 'webhook-signature')
  if (id === '' || time === '' || signature === '') throw billingErrors.error('MISSING_REQUIRED_HEADERS')
  // The package `standardwebhooks` would read "1700000000junk" as a time.
  if (!wholeSeconds.test(time)) throw billingErrors.error('INVALID_SIGNATURE_HEADERS')
  const timestamp = Number(time)
  const seconds = Math.floor(now.getTime() / 1000)
  if (seconds - timestamp > toleranceSeconds) throw billingErrors.error('MESSAGE_TIMESTAMP_TOO_OLD')
  if (timestamp - seconds > toleranceSeconds) throw billingErrors.error('MESSAGE_TIMESTAMP_TOO_NEW')
  return { id, time, timestamp, signature }
}

/**
 * Verifies deliveries with any of the keys, in the order of billing-events.md, section 3, before anything is parsed. Uses Node's hash on
 * the received bytes, because the package `standardwebhooks` takes 22 ms for a megabyte (docs/design/billing.md#deliveries).
 */
export const createVerifier = (keys: readonly Uint8Array[]): Verifier => {
  const hashes = keys.map(hmacSha256)

  return (headers, body, now, toleranceSeconds) => {
    const { id, time, timestamp, signature } = readHeaders(headers, now, toleranceSeconds)
    const entries = signature
      .replaceAll(', ', ' ')
      .split(' ')
      .filter((entry) => entryPattern.test(entry))
    const isSigned = hashes.some((hash) => {
      if (entries.length === 0) return false
      const expected = `v1,${hash(`${id}.${time}.`, body)}`
      return entries.reduce((found, entry) => safeEqual(entry, expected) || found, false)
    })
    if (!isSigned) throw billingErrors.error('NO_MATCHING_SIGNATURE_FOUND')
    return { webhookId: id, timestamp }
  }
}

/** The verifiers of all endpoints. They are in memory, so that a forged delivery costs no SQL. */
export interface Verifiers {
  /** Undefined for an unknown endpoint. */
  of(endpoint: string): Promise<Verifier | undefined>
  /** Reads the changes that other nodes and commands have made. */
  refresh(): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'secrets'> {
  readonly config: { readonly secrets?: readonly string[] | undefined }
}

export const createVerifiers = ({ db, secrets, config }: Deps): Verifiers => {
  let cached: Promise<ReadonlyMap<string, Verifier>> | undefined

  const load = async (): Promise<ReadonlyMap<string, Verifier>> => {
    const stored = (await store.listEndpoints(db)).map((row) => [row.name, store.openSecrets(secrets, row)] as const)
    const lists = new Map(stored)
    if (config.secrets !== undefined) lists.set(configuredEndpoint, [...config.secrets, ...(lists.get(configuredEndpoint) ?? [])])
    return new Map([...lists].map(([name, list]) => [name, createVerifier(list.flatMap(keysOf))]))
  }
  return {
    of: async (endpoint) => {
      cached ??= load().catch((error: unknown) => {
        cached = undefined
        throw error
      })
      return (await cached).get(endpoint)
    },
    refresh: async () => {
      const verifiers = await load()
      cached = Promise.resolve(verifiers)
    },
  }
}
