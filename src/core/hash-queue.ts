import type { RequestContext } from '../core/request-context.ts'
import { coreErrors } from './errors.ts'
import { networkOf } from './network.ts'

/** The request for which a password is hashed. */
export interface Requester {
  /**
   * True for a known caller, who is served first: a browser that has signed in to the account before, or the owner of a session or of a
   * mailed link.
   */
  readonly isKnown: boolean
  /** The network of the client's address (`networkOf`). Networks take turns, so that no single one can fill the queue. */
  readonly network: string
}

/** A request that waits in the queue. */
export const requesterOf = ({ address }: RequestContext, isKnown: boolean): Requester => ({
  isKnown,
  network: networkOf(address),
})

/** Runs `work` when it is the requester's turn. Throws SERVICE_UNAVAILABLE if too many requests wait, or if the deadline passes. */
export interface HashQueue {
  <T>(requester: Requester, work: () => Promise<T>): Promise<T>
  /** Number of running and waiting hashes, and of refusals since the start. */
  readonly counts: () => { readonly running: number; readonly waiting: number; readonly refused: number }
}

interface Bounds {
  /** Number of simultaneous hashes. */
  readonly running: number
  /** Largest number of waiting requests. A further request replaces the newest one of the network that has most of them. */
  readonly waiting: number
  /** Longest wait of a request, in milliseconds. */
  readonly deadlineMs: number
}

interface Place {
  readonly network: string
  readonly enter: () => void
  readonly refuse: () => void
}

/** The share of turns and places that unknown browsers get while both kinds wait. Attackers can be known, too, in accounts of their own. */
const strangersPart = 1 / 4
/** After this number of turns, earlier turns count half, so that earlier use does not delay a network for long. */
const halfLife = 256
/** The weight of one turn after two half-lives. */
const forgotten = 1 / 4

/** The first of `places` with the smallest `weight`. */
const leastOf = (places: readonly Place[], weight: (place: Place) => number): Place | undefined =>
  places.reduce<Place | undefined>(
    (least, place) => (least === undefined || weight(place) < weight(least) ? place : least),
    undefined,
  )

/** Waiting hashes of one kind in the order of arrival. The network with the fewest turns is next, so that it gains nothing by more requests. */
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
    /** Counts a turn of a network. Only the last three half-lives are stored, so at most 768 networks. */
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

/** The queue in front of the password hash (docs/design/sign-in.md#hashes-under-load). */
export const createHashQueue = ({ running, waiting, deadlineMs }: Bounds): HashQueue => {
  const known = createLane()
  const strangers = createLane()
  const laneOf = ({ isKnown }: Requester) => (isKnown ? known : strangers)
  let free = running
  let refused = 0
  /** Turns that known callers took since the last turn of an unknown one. Counted only while unknown callers wait. */
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
    // Nobody waits, so earlier turns no longer matter.
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
