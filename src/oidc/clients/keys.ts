import { z } from 'zod'
import type { Core } from '../../core/core.ts'
import { type Outbound, OutboundError } from '../../core/fetch.ts'
import { daySeconds } from '../../core/time.ts'
import { isSigningKey, type PublicKey } from '../metadata/rules.ts'
import { freshSeconds } from '../metadata-documents/rules.ts'
import { isOfOperatorOrApproved } from './rules.ts'
import type { ClientRow } from './store.ts'

/** A client whose keys are at an address. */
type KeyOwner = Pick<ClientRow, 'clientId' | 'registeredBy' | 'review' | 'metadata'>

/** The keys of clients that are published at an address (`jwks_uri`). */
export interface ClientKeys {
  /**
   * The keys that check a signature by the key `kid`: from memory while they are fresh, and read again when none has that id, at most every half a
   * minute. Undefined where there are none and they cannot be read.
   */
  read(client: KeyOwner, kid: string | undefined): Promise<readonly PublicKey[] | undefined>
  /** Asks the address of a client now. Why it gives no keys, and when it last gave some to this node; undefined where it gives them. */
  probe(client: KeyOwner): Promise<{ readonly why: string; readonly readAt: Date | undefined } | undefined>
}

/** How often an address is read at most, whatever ids are asked for: anybody can send an unknown one. */
const leastMs = 30_000
/** How long keys count that cannot be read again. */
const staleMs = daySeconds * 1000
/** Keys of one set that are looked at. */
const mostKeys = 50
/** Addresses in memory. */
const mostSets = 1_000

const KeySet = z.looseObject({ keys: z.array(z.record(z.string(), z.unknown())).max(mostKeys) })

/** Of one address; times in epoch milliseconds. */
interface Known {
  readonly keys: readonly PublicKey[] | undefined
  /** When the address last gave keys. */
  readonly readAt: number
  readonly freshUntil: number
  /** When the address was last asked. */
  readonly askedAt: number
}

interface Deps extends Pick<Core, 'clock' | 'log'> {
  readonly outbound: Outbound
  /** For what strangers registered: no private address at all. */
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
  /** Requests at the same moment wait for the same answer. */
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
