import type { Db } from '../db/database.ts'
import { findHead } from './chain-store.ts'
import { listHashes } from './store.ts'

/**
 * A position of the chain and the hash of the event there, as a copy or the log has stored them. Somebody who can only change the
 * database cannot change these stored values.
 */
export interface NotedPlace {
  readonly position: number
  readonly hash: string
}

export interface Comparison {
  /** Number of places that were compared. Places whose events retention has deleted are not among them. */
  readonly compared: number
  /** Places that the chain does not contain, or contains with another hash. They have the order in which they were given. */
  readonly differing: readonly NotedPlace[]
  /** The newest position of the chain. 0 if nothing is sealed. */
  readonly head: number
}

/** Compares stored places with the chain. A place whose event retention has deleted is not compared. */
export const comparePlaces = async (db: Db, places: readonly NotedPlace[]): Promise<Comparison> => {
  const hashes = await listHashes(
    db,
    places.map(({ position }) => position),
  )
  // The head is read after the hashes. So if retention deletes events meanwhile, the start position in this head already counts them as
  // deleted.
  const { position: head = 0, startPosition = 0 } = (await findHead(db)) ?? {}
  const comparable = places.filter(({ position }) => position > startPosition)
  const differing = comparable.filter(({ position, hash }) => position > head || hashes.get(position) !== hash)
  return { compared: comparable.length, differing, head }
}
