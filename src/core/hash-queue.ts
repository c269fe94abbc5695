import type { Source } from './caller.ts'
import { coreErrors } from './errors.ts'
import { networkOf } from './network.ts'

/** For whom a password is hashed. */
export interface Requester {
  /** Not just anybody: a browser that has signed in to the account before, or who holds a session or a mailed link. Served first. */
  readonly isKnown: boolean
  /** `networkOf` the client's address. Networks take turns, so that one cannot fill the queue. */
  readonly network: string
}

/** A caller as the queue sees them. */
export const requesterOf = ({ address }: Source, isKnown: boolean): Requester => ({ isKnown, network: networkOf(address) })

interface Place extends Requester {
  /** How many of the same network and kind were before it; those of one round are served in the order in which they came. */
  readonly round: number
  readonly enter: () => void
  readonly refuse: () => void
}

const isBefore = (a: Place, b: Place) => (a.isKnown === b.isKnown ? a.round < b.round : a.isKnown)

/** Runs `work` when it is the requester's turn. Throws SERVICE_UNAVAILABLE when too many wait, or nobody got round to it in time. */
export type HashQueue = <T>(requester: Requester, work: () => Promise<T>) => Promise<T>

interface Bounds {
  /** How many run at a time. */
  readonly running: number
  /** How many wait at most. One more takes the place of the last, who is refused: a stranger, of the network that wants most. */
  readonly waiting: number
  /** How long anybody waits at most, in milliseconds. */
  readonly deadlineMs: number
}

/** The queue before the password hash (decision 0080). */
export const createHashQueue = ({ running, waiting, deadlineMs }: Bounds): HashQueue => {
  const line: Place[] = []
  let free = running
  /** The rounds that known browsers and strangers have reached. */
  const reached = { known: 0, strangers: 0 }
  const kindOf = ({ isKnown }: Requester) => (isKnown ? 'known' : 'strangers')

  const roundOf = ({ isKnown, network }: Requester) =>
    line.reduce(
      (round, place) => (place.isKnown === isKnown && place.network === network ? Math.max(round, place.round + 1) : round),
      reached[kindOf({ isKnown, network })],
    )

  const enter = (requester: Requester) =>
    new Promise<void>((resolve, reject) => {
      if (free > 0) {
        free -= 1
        return resolve()
      }
      const place: Place = {
        ...requester,
        round: roundOf(requester),
        enter: () => {
          clearTimeout(timer)
          resolve()
        },
        refuse: () => {
          clearTimeout(timer)
          line.splice(line.indexOf(place), 1)
          reject(coreErrors.refuse('SERVICE_UNAVAILABLE', { message: 'Too many sign-ins at once', retryAfterSeconds: 2 }))
        },
      }
      const timer = setTimeout(place.refuse, deadlineMs)
      const at = line.findIndex((other) => isBefore(place, other))
      line.splice(at < 0 ? line.length : at, 0, place)
      if (line.length > waiting) line.at(-1)?.refuse()
    })

  const leave = () => {
    const next = line.shift()
    if (next === undefined) {
      free += 1
      return
    }
    reached[kindOf(next)] = next.round
    next.enter()
  }

  return async (requester, work) => {
    await enter(requester)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
