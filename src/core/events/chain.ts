import type { Core } from '../core.ts'
import { isSealed, secretIdOf, sha256, WrongSecretError } from '../crypto.ts'
import type { Db, Tx } from '../db/database.ts'
import { countRows, sweepOutdated } from '../db/sweep.ts'
import * as chain from './chain-store.ts'
import * as segments from './segment-store.ts'
import * as store from './store.ts'

/** The first event has no event before it. This value takes the place of the previous hash. */
export const noHash = '0'.repeat(64)

/**
 * The hash of an event is SHA-256 over one JSON list: the previous hash, the position, and every column in this order. Times are in ISO
 * 8601 with milliseconds, so that both databases and every copy give the same text.
 */
export const hashOf = (before: string, position: number, event: store.NewEvent): string =>
  sha256(
    JSON.stringify([
      'gatehouse event 1',
      before,
      position,
      event.id,
      event.type,
      event.occurredAt.toISOString(),
      event.actorKind,
      event.actorId,
      event.sessionId,
      event.impersonatorId,
      event.subjectType,
      event.subjectId,
      event.organizationId,
      event.address,
      event.userAgent,
      event.requestId,
      event.data,
      // An event without a reason adds nothing to the text. So events that were hashed before reasons existed keep their hashes.
      ...(event.reason === null ? [] : [event.reason]),
    ]),
  )

type HeadPlace = Omit<chain.ChainHead, 'id' | 'seal'>

const headText = ({ position, hash, startPosition, startHash }: HeadPlace) => [position, hash, startPosition, startHash].join(' ')
const checkpointText = ({ position, hash, createdAt }: Omit<chain.Checkpoint, 'id' | 'seal'>) =>
  [position, hash, createdAt.toISOString()].join(' ')

/**
 * True if sealed events exist but the chain has no head. That is never so without a manipulation, because the head is written together
 * with the first sealed event.
 */
export const isHeadless = async (db: Db): Promise<boolean> =>
  (await store.isAnySealed(db)) && (await chain.findHead(db)) === undefined

const segmentText = ({ position, startHash, createdAt }: Omit<segments.Segment, 'id' | 'seal'>) =>
  [position, startHash, createdAt.toISOString()].join(' ')

/** Thrown if the head of the chain was not written by this instance. */
export class ChainChangedError extends Error {
  readonly refusal = 'EVENT_CHAIN_CHANGED'
  /** `command` is the command that verifies the chain. The message names it. */
  constructor(command: string) {
    super(`the head of the event chain was changed from outside; ${command} says more`)
    this.name = 'ChainChangedError'
  }
}

/** Largest number of events that are sealed in one transaction. */
const batch = 200
/** A checkpoint is made after this number of events, or after this time in milliseconds. */
const checkpointEvery = { events: 1_000, ms: 600_000 }

export interface Chain {
  /**
   * Gives positions and hashes to committed events that have none, at most 200 in a transaction. Returns their number. If several nodes
   * call it at the same time, only one of them changes anything. If somebody has changed the head or put an older head in its place,
   * sealing continues in a new segment, which verification reports.
   */
  seal(): Promise<number>
  /**
   * Deletes events in small transactions, up to the newest checkpoint that was made before the time `before`. After that the stored chain
   * begins at this checkpoint. Returns the number of deleted events. Throws `ChainChangedError`.
   */
  deleteBefore(before: Date, stop?: AbortSignal): Promise<number>
  /** The number of events that `deleteBefore` would delete. Throws `ChainChangedError`. */
  countBefore(before: Date): Promise<number>
  /** True if the head is sealed with a master secret that this node does not have. Such a node cannot seal events. */
  lacksSecret(): Promise<boolean>
  /** True if this instance has written the row. The seal in the row is the proof. */
  isGenuine(head: chain.ChainHead): boolean
  isGenuineCheckpoint(checkpoint: chain.Checkpoint): boolean
  isGenuineSegment(segment: segments.Segment): boolean
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'secrets' | 'remedies'> {
  /** Called in the transaction that begins a new segment of the chain. */
  readonly onSegment?: (tx: Tx, firstPosition: number) => Promise<void>
}

const changed = ({ remedies }: Deps) => new ChainChangedError(remedies.verifyAudit())

const sealedHead = ({ secrets }: Deps, place: HeadPlace): chain.ChainHead => ({
  id: 'events',
  ...place,
  seal: secrets.seal(headText(place), chain.headContext),
})

/** True if the seal can be opened and contains the text `expected`. A seal that cannot be opened proves nothing, so the result is false. */
const opensTo = ({ secrets }: Deps, seal: chain.ChainHead['seal'], context: string, expected: string): boolean => {
  try {
    return secrets.open(seal, context) === expected
  } catch {
    return false
  }
}

const isGenuine = (deps: Deps, head: chain.ChainHead): boolean => opensTo(deps, head.seal, chain.headContext, headText(head))

const isGenuineCheckpoint = (deps: Deps, checkpoint: chain.Checkpoint): boolean =>
  opensTo(deps, checkpoint.seal, chain.checkpointContext(checkpoint.id), checkpointText(checkpoint))

const isGenuineSegment = (deps: Deps, segment: segments.Segment): boolean =>
  opensTo(deps, segment.seal, segments.segmentContext(segment.id), segmentText(segment))

/** Returns the stored head if this instance has written it. If no event was ever sealed, returns the start of the chain. */
const judge = async (
  deps: Deps,
  head: chain.ChainHead | undefined,
): Promise<{ readonly seal?: chain.ChainHead['seal']; readonly place: HeadPlace }> => {
  const { db, secrets } = deps
  if (head === undefined) {
    if (await isHeadless(db)) throw changed(deps)
    return { place: { position: 0, hash: noHash, startPosition: 0, startHash: noHash } }
  }
  // A seal of an unknown master secret is not a manipulation: during a rotation, a node may not have the newest secret yet.
  if (isSealed(head.seal) && !secrets.ids.includes(secretIdOf(head.seal))) throw new WrongSecretError(chain.headContext)
  if (!isGenuine(deps, head)) throw changed(deps)
  const { id: _, seal, ...place } = head
  return { seal, place }
}

const readHead = async (deps: Deps) => judge(deps, await chain.findHead(deps.db))

/** Stores a new head. False if another node has changed the head first. */
const moveHead = (tx: Tx, seal: chain.ChainHead['seal'] | undefined, head: chain.ChainHead): Promise<boolean> =>
  seal === undefined ? chain.insertHead(tx, head) : chain.replaceHead(tx, seal, head)

const dueCheckpoint = async (
  { db, clock, random, secrets }: Deps,
  { position, hash }: HeadPlace,
): Promise<chain.Checkpoint | undefined> => {
  const last = await chain.findNewestCheckpoint(db)
  const createdAt = clock.now()
  const isDue =
    last === undefined ||
    position - last.position >= checkpointEvery.events ||
    createdAt.getTime() - last.createdAt.getTime() >= checkpointEvery.ms
  if (!isDue) return undefined
  const id = random.id()
  const place = { position, hash, createdAt }
  return { id, ...place, seal: secrets.seal(checkpointText(place), chain.checkpointContext(id)) }
}

/** The checkpoint at which the stored chain should begin after the deletion. Undefined if it already begins there. */
const dueStart = async (deps: Deps, { startPosition }: HeadPlace, before: Date): Promise<chain.Checkpoint | undefined> => {
  const { db } = deps
  const checkpoint = await chain.findCheckpointBefore(db, before)
  if (checkpoint === undefined || checkpoint.position <= startPosition) return undefined
  if (!isGenuineCheckpoint(deps, checkpoint)) throw changed(deps)
  return checkpoint
}

/**
 * Called if somebody has changed the head of the chain. Finds out where the stored chain begins. Events that are missing after this
 * position count as removed.
 */
const findStart = async (deps: Deps): Promise<Pick<HeadPlace, 'startPosition' | 'startHash'>> => {
  const { db } = deps
  const first = await segments.firstPosition(db)
  // Retention keeps the checkpoint at which the stored chain begins, and deletes all earlier checkpoints. So the oldest checkpoint shows
  // the beginning.
  const oldest = (await chain.listOldestCheckpoints(db, batch)).find((checkpoint) => isGenuineCheckpoint(deps, checkpoint))
  return oldest !== undefined && first !== 1 && oldest.position < (first ?? Number.POSITIVE_INFINITY)
    ? { startPosition: oldest.position, startHash: oldest.hash }
    : { startPosition: 0, startHash: noHash }
}

/**
 * Begins a new segment after the last position in use. Its first hash is random, so that no earlier event leads to it. Does nothing if
 * another node has already replaced the changed head.
 */
const startSegment = async (deps: Deps, formerSeal: chain.ChainHead['seal'] | undefined): Promise<void> => {
  const { db, transact, clock, random, secrets, onSegment } = deps
  const position = await segments.lastPosition(db)
  const id = random.id()
  const place = { position, startHash: sha256(random.token(43)), createdAt: clock.now() }
  const segment = { id, ...place, seal: secrets.seal(segmentText(place), segments.segmentContext(id)) }
  const head = sealedHead(deps, { position, hash: place.startHash, ...(await findStart(deps)) })
  await transact(async (tx) => {
    if (!(await moveHead(tx, formerSeal, head))) return
    await segments.insertSegment(tx, segment)
    await onSegment?.(tx, position + 1)
  })
}

/**
 * The head of the chain. If somebody has changed the head, or put an older head in its place, begins a new segment and returns the head
 * of that segment.
 */
const readOrStart = async (deps: Deps) => {
  const { db } = deps
  const found = await chain.findHead(db)
  try {
    const head = await judge(deps, found)
    // A larger position is in use in two cases. Either an older head was put in place, and a new segment begins. Or another node has
    // sealed events since the head was read; then `startSegment` changes nothing.
    if ((await segments.lastPosition(db)) <= head.place.position) return head
  } catch (error) {
    if (!(error instanceof ChainChangedError)) throw error
  }
  await startSegment(deps, found?.seal)
  return readHead(deps)
}

const sealEvents = (deps: Deps): Chain['seal'] => {
  const { db, transact } = deps
  return async () => {
    // The head is read before the events. If another node seals the same events meanwhile, the stored head then differs from this one,
    // and nothing is written.
    const { seal, place } = await readOrStart(deps)
    const unsealed = await store.listUnsealed(db, batch)
    if (unsealed.length === 0) return 0
    let { position, hash } = place
    const places = unsealed.map((event) => {
      position += 1
      hash = hashOf(hash, position, event)
      return { id: event.id, position, hash }
    })
    const head = sealedHead(deps, { ...place, position, hash })
    const checkpoint = await dueCheckpoint(deps, head)
    return transact(async (tx) => {
      // If two nodes seal at the same time, both change the row of the head. The second one waits for the first, then finds a different
      // seal, and gives up.
      if (!(await moveHead(tx, seal, head))) return 0
      if ((await store.placeEvents(tx, places)) !== places.length)
        throw new Error('events were removed while they were being sealed')
      if (checkpoint !== undefined) await chain.insertCheckpoint(tx, checkpoint)
      return places.length
    })
  }
}

const deleteBefore = (deps: Deps): Chain['deleteBefore'] => {
  const { db, transact } = deps
  return async (before, stop) => {
    const { seal, place } = await readHead(deps)
    if (seal === undefined) return 0
    const checkpoint = await dueStart(deps, place, before)
    if (checkpoint !== undefined) {
      const head = sealedHead(deps, { ...place, startPosition: checkpoint.position, startHash: checkpoint.hash })
      await transact(async (tx) => {
        if (await chain.replaceHead(tx, seal, head)) {
          await chain.deleteCheckpointsBefore(tx, checkpoint.position)
          await segments.deleteSegmentsBefore(tx, checkpoint.position)
        }
      })
    }
    // The head is read again, because another node may have changed it first. Events that an interrupted run has left are deleted, too.
    const { startPosition } = (await readHead(deps)).place
    return sweepOutdated(db, transact, store.sealedUntil(startPosition), stop)
  }
}

const countBefore =
  (deps: Deps): Chain['countBefore'] =>
  async (before) => {
    const { place } = await readHead(deps)
    const start = (await dueStart(deps, place, before)) ?? { position: place.startPosition }
    return countRows(deps.db, store.sealedUntil(start.position))
  }

export const createChain = (deps: Deps): Chain => {
  const { db, secrets } = deps

  return {
    isGenuine: (head) => isGenuine(deps, head),
    isGenuineCheckpoint: (checkpoint) => isGenuineCheckpoint(deps, checkpoint),
    isGenuineSegment: (segment) => isGenuineSegment(deps, segment),
    lacksSecret: async () => {
      const seal = (await chain.findHead(db))?.seal
      return seal !== undefined && isSealed(seal) && !secrets.ids.includes(secretIdOf(seal))
    },
    seal: sealEvents(deps),
    deleteBefore: deleteBefore(deps),
    countBefore: countBefore(deps),
  }
}
