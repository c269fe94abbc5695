import type { Db } from '../db/database.ts'
import { findHead } from './chain-store.ts'
import { listHashes } from './store.ts'

/** A position of the chain and its hash, as stored by a copy or the log, which an attacker in the database cannot change. */
export interface NotedPlace {
  readonly position: number
  readonly hash: string
}

export interface Comparison {
  /** Number of compared places, whose events the chain still has or never had. */
  readonly compared: number
  /** Places that are missing from the chain, or have another hash, in the given order. */
  readonly differing: readonly NotedPlace[]
  /** Newest position of the chain; 0 where it has none. */
  readonly head: number
}

/** Compares places with the chain. Places whose events retention has deleted are left out. */
export const comparePlaces = async (db: Db, places: readonly NotedPlace[]): Promise<Comparison> => {
  const hashes = await listHashes(
    db,
    places.map(({ position }) => position),
  )
  // The head is read last: events that retention deletes meanwhile are before the beginning that it then names.
  const { position: head = 0, startPosition = 0 } = (await findHead(db)) ?? {}
  const comparable = places.filter(({ position }) => position > startPosition)
  const differing = comparable.filter(({ position, hash }) => position > head || hashes.get(position) !== hash)
  return { compared: comparable.length, differing, head }
}
