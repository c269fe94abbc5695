import type { Core } from '../../core/core.ts'
import { hmacSha256, safeEqual } from '../../core/crypto.ts'
import { billingErrors } from '../errors.ts'
import { configuredEndpoint, keysOf } from './rules.ts'
import * as store from './store/endpoints.ts'

/** Request headers as Node gives them, with names in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** The id and time of a delivery that has a valid signature. */
export interface Verified {
  readonly webhookId: string
  /** When the platform sent this attempt, in seconds since 1970. */
  readonly timestamp: number
}

/**
 * Verifies a delivery. If it cannot be verified, throws one of five errors: the four of `readHeaders`, or NO_MATCHING_SIGNATURE_FOUND
 * (billing specification, section 8).
 */
export type Verifier = (headers: Headers, body: Buffer, now: Date, toleranceSeconds: number) => Verified

/** The value of a header. Several headers with one name have the same meaning as one header with a list (RFC 9110, section 5.3). */
const headerOf = (headers: Headers, name: string): string => {
  const value = headers[name]
  return typeof value === 'string' || value === undefined ? (value ?? '') : value.join(', ')
}

const wholeSeconds = /^(0|[1-9]\d*)$/
/** A signature of version 1. Entries of the header that do not match (other versions, malformed signatures) are skipped. */
const entryPattern = /^v1,[A-Za-z0-9+/]{43}=$/

/**
 * Checks the headers with id, time and signature. The body is not needed. Throws, checked in this order, MISSING_REQUIRED_HEADERS,
 * INVALID_SIGNATURE_HEADERS, MESSAGE_TIMESTAMP_TOO_OLD and MESSAGE_TIMESTAMP_TOO_NEW (billing-events.md, section 3).
 */
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
 * Makes a verifier that accepts a signature by any of the keys. It checks the headers, then the signature, before the body is parsed
 * (billing-events.md, section 3). It uses Node's HMAC on the received bytes, because the package `standardwebhooks` takes 22 ms for a megabyte
 * (docs/design/billing.md#deliveries).
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

/** The verifiers of all endpoints. They are kept in memory, so that a forged delivery costs no SQL. */
export interface Verifiers {
  /** The verifier of an endpoint. Undefined for an unknown endpoint. */
  of(endpoint: string): Promise<Verifier | undefined>
  /** Loads endpoints and secrets that other nodes or commands have changed. */
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
