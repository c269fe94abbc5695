import type { Db } from '../db/database.ts'
import { findHead } from './chain-store.ts'
import { listHashes } from './store.ts'

/** A position of the chain and its hash, which a copy or the log has stored. An attacker in the database cannot change them. */
export interface NotedPlace {
  readonly position: number
  readonly hash: string
}

export interface Comparison {
  /** Number of compared places, without those whose events retention has deleted. */
  readonly compared: number
  /** Places that the chain lacks, or has with another hash, in the given order. */
  readonly differing: readonly NotedPlace[]
  /** Newest position of the chain, or 0. */
  readonly head: number
}

/** Compares places with the chain. Leaves out places whose events retention has deleted. */
export const comparePlaces = async (db: Db, places: readonly NotedPlace[]): Promise<Comparison> => {
  const hashes = await listHashes(
    db,
    places.map(({ position }) => position),
  )
  // The head is read last, so that it names a beginning after all events that retention deletes meanwhile.
  const { position: head = 0, startPosition = 0 } = (await findHead(db)) ?? {}
  const comparable = places.filter(({ position }) => position > startPosition)
  const differing = comparable.filter(({ position, hash }) => position > head || hashes.get(position) !== hash)
  return { compared: comparable.length, differing, head }
}
