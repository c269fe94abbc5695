import { hashOf } from './chain.ts'
import type { SealedEvent } from './store.ts'

/** Something in the chain that gatehouse did not write. */
export interface ChainFault {
  readonly kind:
    | 'changed event'
    | 'removed event'
    | 'moved event'
    | 'new segment'
    | 'broken checkpoint'
    | 'broken head'
    /** A copy outside of the database has an event that the chain lacks, or has differently. */
    | 'copy differs'
  readonly position: number
  readonly message: string
}

/** An event whose hash does not match its contents and the event before it. */
export interface Misfit {
  readonly event: SealedEvent
  /** The hash before its position. */
  readonly before: string
}

/**
 * Classifies events that do not match. If another event matches the place, the event was moved; others were changed, or follow a changed
 * one. Events are in order if only their neighbour was moved.
 */
export const explainMisfits = (misfits: readonly Misfit[]): ChainFault[] => {
  const faults: ChainFault[] = []
  /** Hashes of the original events at these positions. */
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
