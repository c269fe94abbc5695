import { open } from 'node:fs/promises'
import { z } from 'zod'
import type { Db } from '../../core/db/database.ts'
import { comparePlaces, type NotedPlace } from '../../core/events/compare.ts'

const Line = z.object({ position: z.int().positive(), hash: z.string().regex(/^[0-9a-f]{64}$/) })

/** How many lines one SQL statement compares. */
const batch = 500

/**
 * Parses the position and hash in a line. The line is an event from a copy, which may have a syslog prefix, or a head of the chain from
 * the daemon's log.
 */
const placeIn = (line: string): NotedPlace | undefined => {
  const start = line.indexOf('{')
  if (start === -1) return undefined
  try {
    return Line.safeParse(JSON.parse(line.slice(start))).data
  } catch {
    // The line is incomplete, or is not about an event.
    return undefined
  }
}

/** The result of comparing a file with the chain of audit events. */
export interface FileComparison {
  /** Number of lines that were compared. */
  readonly compared: number
  readonly differing: number
  /** The first event in the file that the chain does not contain. */
  readonly first: NotedPlace | undefined
  /** The newest position of the chain, read after the comparison. */
  readonly head: number
}

/**
 * Compares the lines of a file with the chain of audit events: all lines, or those in the last `lastBytes` bytes. The last line alone
 * would not be enough, because an attacker can reset the chain and the copy then goes on. Throws the system's error if the file cannot be
 * read.
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

/**
 * Like `compareFile`, but returns undefined if the file does not exist. That is normal after log rotation until the next event, and on a
 * node that does not write the file.
 */
export const compareFileIfAny = async (db: Db, path: string, lastBytes?: number): Promise<FileComparison | undefined> => {
  try {
    return await compareFile(db, path, lastBytes)
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}
