import { hashOf } from './chain.ts'
import type { SealedEvent } from './store.ts'

/** A place in the chain that gatehouse did not write as it is now. */
export interface ChainFault {
  readonly kind:
    | 'changed event'
    | 'removed event'
    | 'moved event'
    | 'new segment'
    | 'broken checkpoint'
    | 'broken head'
    /** A copy outside of the database has an event that the chain does not contain, or contains with other values. */
    | 'copy differs'
  readonly position: number
  readonly message: string
}

/** A stored event whose hash is not the one that follows from its contents and the previous hash. */
export interface Misfit {
  readonly event: SealedEvent
  /** The hash that is stored at the previous position. */
  readonly before: string
}

/**
 * Finds out what happened to events that do not match the chain. If the event that belongs at a position is stored at another position,
 * events were moved. All other events were changed, or follow a changed event. An event is not reported if it does not match only because
 * its neighbour was moved.
 */
export const explainMisfits = (misfits: readonly Misfit[]): ChainFault[] => {
  const faults: ChainFault[] = []
  /** For each position, the hash of the event that belongs there. */
  const proper = new Map<number, string>()
  for (const { event, before: stored } of misfits) {
    const { position } = event
    const before = proper.get(position - 1) ?? stored
    const owner = misfits.find((other) => hashOf(before, position, other.event) === other.event.hash)?.event
    if (owner === undefined)
      faults.push({
        kind: 'changed event',
        position,
        message: `event ${event.id} (${event.type}) does not fit its hash: it, or the one before it, was changed`,
      })
    else {
      proper.set(position, owner.hash)
      if (owner !== event)
        faults.push({
          kind: 'moved event',
          position,
          message: `event ${owner.id} (${owner.type}) belongs here and was moved to position ${owner.position}`,
        })
    }
  }
  return faults
}
