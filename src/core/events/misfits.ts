import { hashOf } from './chain.ts'
import type { SealedEvent } from './store.ts'

/** A part of the chain that gatehouse did not write. */
export interface ChainFault {
  readonly kind:
    | 'changed event'
    | 'removed event'
    | 'moved event'
    | 'new segment'
    | 'broken checkpoint'
    | 'broken head'
    /** A copy outside of the database has an event that the chain lacks, or that differs in the chain. */
    | 'copy differs'
  readonly position: number
  readonly message: string
}

/** An event whose hash does not match its contents and the event before it. */
export interface Misfit {
  readonly event: SealedEvent
  /** The hash at the position before it. */
  readonly before: string
}

/**
 * Classifies events that do not match the chain. If another event belongs in the place, the event was moved. All others were changed, or
 * follow a changed event. An event is in order if only its neighbour was moved.
 */
export const explainMisfits = (misfits: readonly Misfit[]): ChainFault[] => {
  const faults: ChainFault[] = []
  /** The hash of the original event at each position. */
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
