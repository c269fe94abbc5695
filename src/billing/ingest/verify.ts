import type { Core } from '../../core/core.ts'
import { hmacSha256, safeEqual } from '../../core/crypto.ts'
import { billingErrors } from '../errors.ts'
import { configuredEndpoint, keysOf } from './rules.ts'
import * as store from './store/endpoints.ts'

/** Headers with lower-case names, from Node. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** A delivery signed with a secret of the endpoint. */
export interface Verified {
  readonly webhookId: string
  /** Seconds; the time of this attempt. */
  readonly timestamp: number
}

/** Throws one of the five errors of an unverifiable delivery (billing specification, section 8). */
export type Verifier = (headers: Headers, body: Buffer, now: Date, toleranceSeconds: number) => Verified

/** A repeated header is one list (RFC 9110, section 5.3). */
const headerOf = (headers: Headers, name: string): string => {
  const value = headers[name]
  return typeof value === 'string' || value === undefined ? (value ?? '') : value.join(', ')
}

const wholeSeconds = /^(0|[1-9]\d*)$/
/** Other versions and malformed entries are skipped. */
const entryPattern = /^v1,[A-Za-z0-9+/]{43}=$/

/** The three headers, checked in the order of the billing events, section 3, without a body. Throws the first four errors. */
export const readHeaders = (headers: Headers, now: Date, toleranceSeconds: number) => {
  const id = headerOf(headers, 'webhook-id')
  const time = headerOf(headers, 'webhook-timestamp')
  const signature = headerOf(headers, 'webhook-signature')
  if (id === '' || time === '' || signature === '') throw billingErrors.error('MISSING_REQUIRED_HEADERS')
  // The package would read "1700000000junk" as a time.
  if (!wholeSeconds.test(time)) throw billingErrors.error('INVALID_SIGNATURE_HEADERS')
  const timestamp = Number(time)
  const seconds = Math.floor(now.getTime() / 1000)
  if (seconds - timestamp > toleranceSeconds) throw billingErrors.error('MESSAGE_TIMESTAMP_TOO_OLD')
  if (timestamp - seconds > toleranceSeconds) throw billingErrors.error('MESSAGE_TIMESTAMP_TOO_NEW')
  return { id, time, timestamp, signature }
}

/**
 * Verifies deliveries by any of the keys, in the order of the billing events, section 3, before anything is parsed. Uses Node's hash on
 * the received bytes: that of the package `standardwebhooks` takes 22 ms for a megabyte (docs/design/billing.md#deliveries).
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

/** The verifiers of all endpoints, in memory, so that an unsigned request costs no SQL. */
export interface Verifiers {
  /** Undefined for an unknown endpoint. */
  of(endpoint: string): Promise<Verifier | undefined>
  /** Reads changes by other nodes and commands. */
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
