import type { RequestContext } from '../core/request-context.ts'
import { coreErrors } from './errors.ts'
import { networkOf } from './network.ts'

/** The request that a password hash is computed for. */
export interface Requester {
  /**
   * True for a known caller, who is served first: a browser that has signed in to the account before, or whoever has a session or a
   * mailed link of the account.
   */
  readonly isKnown: boolean
  /** The network of the client's IP address (`networkOf`). Networks take turns, so that no single network can fill the queue. */
  readonly network: string
}

/** Makes the `Requester` for a request. */
export const requesterOf = ({ address }: RequestContext, isKnown: boolean): Requester => ({
  isKnown,
  network: networkOf(address),
})

/** Runs `work` when the requester gets a turn. Throws SERVICE_UNAVAILABLE if too many requests wait, or if the request has waited too long. */
export interface HashQueue {
  <T>(requester: Requester, work: () => Promise<T>): Promise<T>
  /** How many hashes run, how many wait, and how many were refused since the start. */
  readonly counts: () => { readonly running: number; readonly waiting: number; readonly refused: number }
}

interface Bounds {
  /** Largest number of hashes that run at the same time. */
  readonly running: number
  /** Largest number of requests that wait. When a further request arrives, the network with the most waiting requests loses its newest one. */
  readonly waiting: number
  /** Longest time that a request waits, in milliseconds. */
  readonly deadlineMs: number
}

interface Place {
  readonly network: string
  readonly enter: () => void
  readonly refuse: () => void
}

/**
 * While known and unknown callers both wait, unknown callers get this share of turns and places. It is not 0, because an attacker can be
 * a known caller, too, in an account of the attacker's own.
 */
const strangersPart = 1 / 4
/** After this many turns, all counted turns are halved. So a network that was busy is not delayed for long. */
const halfLife = 256
/** A network whose count has fallen to this value is forgotten. It is the weight of one turn after two halvings. */
const forgotten = 1 / 4

/** Of the `places` with the smallest `weight`, the first one. */
const leastOf = (places: readonly Place[], weight: (place: Place) => number): Place | undefined =>
  places.reduce<Place | undefined>(
    (least, place) => (least === undefined || weight(place) < weight(least) ? place : least),
    undefined,
  )

/**
 * The waiting hashes of known callers, or those of unknown ones, in the order of arrival. The network that has had the fewest turns is
 * next. So a network gains nothing by sending more requests.
 */
const createLane = () => {
  const line: Place[] = []
  const turns = new Map<string, number>()
  let taken = 0
  const turnsOf = ({ network }: Pick<Place, 'network'>) => turns.get(network) ?? 0
  const wanted = (place: Place) => turnsOf(place) + line.filter(({ network }) => network === place.network).length
  const leave = (place: Place) => void line.splice(line.indexOf(place), 1)
  return {
    line,
    leave,
    /** Counts a turn of a network. A network with one turn is forgotten at the third halving, so only few networks are stored (at most 768). */
    count: (network: string) => {
      turns.set(network, turnsOf({ network }) + 1)
      taken += 1
      if (taken % halfLife === 0) for (const [key, had] of turns) had <= forgotten ? turns.delete(key) : turns.set(key, had / 2)
    },
    next: () => {
      const place = leastOf(line, turnsOf)
      if (place !== undefined) leave(place)
      return place
    },
    refuseOne: () => leastOf(line.toReversed(), (place) => -wanted(place))?.refuse(),
    forgetTurns: () => turns.clear(),
  }
}

/** The queue in which password hashes wait for their turn (docs/design/sign-in.md#hashes-under-load). */
export const createHashQueue = ({ running, waiting, deadlineMs }: Bounds): HashQueue => {
  const known = createLane()
  const strangers = createLane()
  const laneOf = ({ isKnown }: Requester) => (isKnown ? known : strangers)
  let free = running
  let refused = 0
  /** How many turns known callers have had since the last turn of an unknown caller. Counted only while unknown callers wait. */
  let passed = 0

  const enter = (requester: Requester) =>
    new Promise<void>((resolve, reject) => {
      const lane = laneOf(requester)
      const { network } = requester
      const begin = () => {
        lane.count(network)
        resolve()
      }
      if (free > 0) {
        free -= 1
        return begin()
      }
      const place: Place = {
        network,
        enter: () => {
          clearTimeout(timer)
          begin()
        },
        refuse: () => {
          clearTimeout(timer)
          refused += 1
          lane.leave(place)
          reject(coreErrors.error('SERVICE_UNAVAILABLE', { message: 'Too many sign-ins at once', retryAfterSeconds: 2 }))
        },
      }
      const timer = setTimeout(place.refuse, deadlineMs)
      lane.line.push(place)
      if (known.line.length + strangers.line.length <= waiting) return
      const isTheirs = strangers.line.length > waiting * strangersPart
      ;(isTheirs ? strangers : known).refuseOne()
    })

  const next = () => {
    const isTheirTurn = strangers.line.length > 0 && (known.line.length === 0 || passed >= 1 / strangersPart - 1)
    passed = isTheirTurn || strangers.line.length === 0 ? 0 : passed + 1
    return (isTheirTurn ? strangers : known).next()
  }

  const leave = () => {
    const place = next()
    if (place !== undefined) return place.enter()
    free += 1
    // Nobody is waiting any more, so it does not matter who had a turn before.
    for (const lane of [known, strangers]) lane.forgetTurns()
  }

  const run = async <T>(requester: Requester, work: () => Promise<T>): Promise<T> => {
    await enter(requester)
    try {
      return await work()
    } finally {
      leave()
    }
  }
  return Object.assign(run, {
    counts: () => ({ running: running - free, waiting: known.line.length + strangers.line.length, refused }),
  })
}
