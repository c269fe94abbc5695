import { open } from 'node:fs/promises'
import { z } from 'zod'
import type { Db } from '../../core/db/database.ts'
import { comparePlaces, type NotedPlace } from '../../core/events/compare.ts'

const Line = z.object({ position: z.int().positive(), hash: z.string().regex(/^[0-9a-f]{64}$/) })

/** Number of lines compared by one statement. */
const batch = 500

/** The place in the chain that a line names. The line is an event of a copy, with or without a syslog prefix, or a head from the daemon's log. */
const placeIn = (line: string): NotedPlace | undefined => {
  const start = line.indexOf('{')
  if (start === -1) return undefined
  try {
    return Line.safeParse(JSON.parse(line.slice(start))).data
  } catch {
    // The line is incomplete or contains other text.
    return undefined
  }
}

/** The result of comparing the chain with a file. */
export interface FileComparison {
  /** Number of lines that were compared. */
  readonly compared: number
  readonly differing: number
  /** The first place in the file that is missing from the chain. */
  readonly first: NotedPlace | undefined
  /** Newest position of the chain after the comparison. */
  readonly head: number
}

/**
 * Compares a file of event lines with the chain: all lines, or the lines within its last bytes. The last line alone is not enough,
 * because the copy goes on after an attacker has reset the chain. Throws the system's error about the file.
 */
export const compareFile = async (db: Db, path: string, lastBytes?: number): Promise<FileComparison> => {
  let [compared, differing, head] = [0, 0, 0]
  let first: NotedPlace | undefined
  const look = async (places: readonly NotedPlace[]) => {
    if (places.length === 0) return
    const found = await comparePlaces(db, places)
    compared += found.compared
    differing += found.differing.length
    first ??= found.differing[0]
    head = found.head
  }
  await using file = await open(path)
  const start = lastBytes === undefined ? 0 : Math.max(0, (await file.stat()).size - lastBytes)
  let places: NotedPlace[] = []
  for await (const line of file.readLines({ start })) {
    const place = placeIn(line)
    if (place === undefined || places.push(place) < batch) continue
    await look(places)
    places = []
  }
  await look(places)
  return { compared, differing, first, head }
}

/** Compares the file. Returns undefined if it is missing: log rotation has renamed it and no event followed, or another node has it. */
export const compareFileIfAny = async (db: Db, path: string, lastBytes?: number): Promise<FileComparison | undefined> => {
  try {
    return await compareFile(db, path, lastBytes)
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}
