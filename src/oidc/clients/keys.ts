import { z } from 'zod'
import type { Core } from '../../core/core.ts'
import { type Outbound, OutboundError } from '../../core/fetch.ts'
import { daySeconds } from '../../core/time.ts'
import { isSigningKey, type PublicKey } from '../metadata/rules.ts'
import { freshSeconds } from '../metadata-documents/rules.ts'
import { isOfOperatorOrApproved } from './rules.ts'
import type { ClientRow } from './store.ts'

/** The facts about a client that fetching its keys needs. */
type KeyOwner = Pick<ClientRow, 'clientId' | 'registeredBy' | 'review' | 'metadata'>

/** The keys of clients that publish them at an address (`jwks_uri`). */
export interface ClientKeys {
  /**
   * The keys that may verify a signature made with the key `kid`. They come from memory while they are fresh. If no known key has that
   * id, they are fetched again, at most every half a minute. Undefined if there are no keys.
   */
  read(client: KeyOwner, kid: string | undefined): Promise<readonly PublicKey[] | undefined>
  /**
   * Fetches the keys of a client now. Returns undefined after a success. Otherwise it returns the problem, and the time at which this
   * node last got keys.
   */
  probe(client: KeyOwner): Promise<{ readonly why: string; readonly readAt: Date | undefined } | undefined>
}

/**
 * The shortest time in milliseconds between two fetches of the same address. Anybody can send an unknown `kid`, so it does not shorten
 * this time.
 */
const leastMs = 30_000
/** Milliseconds for which keys stay valid after a failed fetch. */
const staleMs = daySeconds * 1000
/** The largest number of keys in a set. */
const mostKeys = 50
/** The largest number of addresses in memory. */
const mostSets = 1_000

const KeySet = z.looseObject({ keys: z.array(z.record(z.string(), z.unknown())).max(mostKeys) })

/** The state of an address. Times are in epoch milliseconds. */
interface Known {
  readonly keys: readonly PublicKey[] | undefined
  /** The time of the last successful fetch. */
  readonly readAt: number
  readonly freshUntil: number
  /** The time of the last fetch. */
  readonly askedAt: number
}

interface Deps extends Pick<Core, 'clock' | 'log'> {
  readonly outbound: Outbound
  /** Fetches for clients whose registrant is unknown. It never calls private addresses. */
  readonly publicOutbound: Outbound
}

const parseSet = (text: string): readonly PublicKey[] => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const { success, data } = KeySet.safeParse(value)
  if (!success) throw new OutboundError(`the answer is no JSON Web Key Set of at most ${mostKeys} keys`)
  return data.keys.filter(isSigningKey)
}

export const createClientKeys = ({ clock, log, ...deps }: Deps): ClientKeys => {
  const known = new Map<string, Known>()
  /** Fetches that have not finished yet. Simultaneous requests share one. */
  const underWay = new Map<string, Promise<Known>>()

  const fetch = async (client: KeyOwner, address: string) => {
    const { status, headers, text } = await (isOfOperatorOrApproved(client) ? deps.outbound : deps.publicOutbound).send(address)
    if (status !== 200) throw new OutboundError(`the server answered ${status}`)
    return { keys: parseSet(text), seconds: freshSeconds(headers.get('cache-control') ?? '') }
  }

  const ask = async (client: KeyOwner, address: string, before: Known | undefined): Promise<Known> => {
    const now = clock.now().getTime()
    try {
      const { keys, seconds } = await fetch(client, address)
      return { keys, readAt: now, freshUntil: now + seconds * 1000, askedAt: now }
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      const { clientId } = client
      log.warn({ clientId, address, problem: error.message }, 'the keys of a client could not be read')
      const isUsable = before !== undefined && now - before.readAt < staleMs
      return { keys: isUsable ? before.keys : undefined, readAt: before?.readAt ?? 0, freshUntil: 0, askedAt: now }
    }
  }

  const keyOf = (client: KeyOwner, address: string) => `${isOfOperatorOrApproved(client)} ${address}`

  return {
    probe: async (client) => {
      const { jwksUri: address } = client.metadata
      if (address === null) return undefined
      try {
        const { keys } = await fetch(client, address)
        return keys.length > 0 ? undefined : { why: 'the answer has no key that can sign', readAt: undefined }
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error
        const { readAt = 0 } = known.get(keyOf(client, address)) ?? {}
        return { why: error.message, readAt: readAt === 0 ? undefined : new Date(readAt) }
      }
    },
    read: async (client, kid) => {
      const { jwksUri: address } = client.metadata
      if (address === null) return undefined
      const key = keyOf(client, address)
      const before = known.get(key)
      const now = clock.now().getTime()
      const isKnown = before?.keys !== undefined && (kid === undefined || before.keys.some((one) => one['kid'] === kid))
      const isFresh = before !== undefined && now < before.freshUntil
      if (before !== undefined && ((isKnown && isFresh) || now - before.askedAt < leastMs)) return before.keys
      const asking = underWay.get(key) ?? ask(client, address, before).finally(() => underWay.delete(key))
      underWay.set(key, asking)
      const after = await asking
      if (known.size >= mostSets) known.clear()
      known.set(key, after)
      return after.keys
    },
  }
}
