import { z } from 'zod'
import type { Core } from '../../core/core.ts'
import { type Outbound, OutboundError } from '../../core/fetch.ts'
import { daySeconds } from '../../core/time.ts'
import { isSigningKey, type PublicKey } from '../metadata/rules.ts'
import { freshSeconds } from '../metadata-documents/rules.ts'
import { isOfOperatorOrApproved } from './rules.ts'
import type { ClientRow } from './store.ts'

/** The fields of a client that are needed to fetch its keys. */
type KeyOwner = Pick<ClientRow, 'clientId' | 'registeredBy' | 'review' | 'metadata'>

/** The public keys of clients that publish them at a URL (`jwks_uri`). */
export interface ClientKeys {
  /**
   * The keys that may verify a signature made with the key `kid`. Keys come from memory while they are fresh. If no key in memory has the
   * id `kid`, the keys are fetched again, but at most every half a minute. Returns undefined if there are no keys.
   */
  read(client: KeyOwner, kid: string | undefined): Promise<readonly PublicKey[] | undefined>
  /**
   * Fetches the keys of a client now. Returns undefined if that succeeds. Otherwise it returns the problem, and the time at which this
   * node last fetched the keys successfully.
   */
  probe(client: KeyOwner): Promise<{ readonly why: string; readonly readAt: Date | undefined } | undefined>
}

/**
 * The shortest time in milliseconds between two fetches of the same URL. The limit holds even for unknown values of `kid`, because
 * anybody can send them.
 */
const leastMs = 30_000
/** Milliseconds for which the keys in memory stay valid if they cannot be fetched again. */
const staleMs = daySeconds * 1000
/** The largest number of keys in a key set. */
const mostKeys = 50
/** The largest number of key sets in memory. */
const mostSets = 1_000

const KeySet = z.looseObject({ keys: z.array(z.record(z.string(), z.unknown())).max(mostKeys) })

/** The key set of a URL. Times are in milliseconds since the epoch. */
interface Known {
  readonly keys: readonly PublicKey[] | undefined
  /** The time of the last fetch that succeeded. */
  readonly readAt: number
  readonly freshUntil: number
  /** The time of the last fetch, whether or not it succeeded. */
  readonly askedAt: number
}

interface Deps extends Pick<Core, 'clock' | 'log'> {
  readonly outbound: Outbound
  /** Used for clients whose registrant is unknown. It never calls private network addresses. */
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
  /** Fetches that have not finished yet, by URL. Simultaneous requests for a URL share a fetch. */
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
