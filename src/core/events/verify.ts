import type { Db } from '../db/database.ts'
import { type Chain, hashOf, isHeadless } from './chain.ts'
import * as chainStore from './chain-store.ts'
import { type ChainFault, explainMisfits, type Misfit } from './misfits.ts'
import { lastPosition, listSegments } from './segment-store.ts'
import * as store from './store.ts'

export interface Verification {
  /** The first stored position; the next field is the last one. Both are 0 if no sealed event is stored. */
  readonly from: number
  readonly to: number
  /** The hash of the newest sealed event. Whoever keeps a copy of this hash elsewhere can prove later whether earlier events were changed. */
  readonly hash: string
  readonly checkpoints: number
  /** Number of committed events that are not sealed yet. */
  readonly unsealed: number
  /** The first hundred faults, sorted by position. */
  readonly faults: readonly ChainFault[]
}

/** How far a verification is. */
export interface Progress {
  readonly from: number
  readonly position: number
  readonly to: number
}

const page = 500
const mostFaults = 100

type Genuineness = Pick<Chain, 'isGenuine' | 'isGenuineCheckpoint' | 'isGenuineSegment'>

/**
 * Verifies the chain. Reads all of it in pages, yields the progress after each page, and returns the faults. Daemons may seal and delete
 * events meanwhile.
 */
export async function* verifyChain(db: Db, chain: Genuineness): AsyncGenerator<Progress, Verification> {
  const faults: ChainFault[] = []
  const misfits: Misfit[] = []
  const report = (kind: ChainFault['kind'], position: number, message: string) => void faults.push({ kind, position, message })
  // The last position is read before the head. Events that are sealed in between would otherwise count as faults.
  const last = await lastPosition(db)
  const head = await chainStore.findHead(db)
  const unsealed = await store.countUnsealed(db)
  if (head === undefined) {
    if (await isHeadless(db)) report('broken head', 0, 'events are sealed, but the head of the chain is missing')
    return { from: 0, to: 0, hash: '', checkpoints: 0, unsealed, faults }
  }
  if (!chain.isGenuine(head)) report('broken head', head.position, 'the head of the chain was not written by this instance')
  else if (last > head.position)
    report('broken head', head.position, `an older head of the chain was put back: position ${last} was sealed`)

  let position = head.startPosition
  let hash = head.startHash
  let checkpoints = 0
  /** For each segment, its first hash, by the position of the last event before the segment. */
  const begins = new Map<number, string>()
  for (const segment of await listSegments(db)) {
    if (segment.position < position || segment.position > head.position) continue
    const at = segment.createdAt.toISOString()
    // If this instance did not write a segment, the segment is ignored. Then the chain counts as broken where the segment begins.
    if (chain.isGenuineSegment(segment)) begins.set(segment.position, segment.startHash)
    report(
      'new segment',
      segment.position + 1,
      `sealing began anew here at ${at}, because the head of the chain had been changed: events before this one may be missing`,
    )
  }
  const beginAt = (last: number, stored: string) => begins.get(last) ?? stored
  const checkCheckpoint = (checkpoint: chainStore.Checkpoint, found: string | undefined) => {
    checkpoints += 1
    if (!chain.isGenuineCheckpoint(checkpoint))
      report('broken checkpoint', checkpoint.position, `checkpoint ${checkpoint.id} was not written by this instance`)
    else if (found !== undefined && found !== checkpoint.hash)
      report('broken checkpoint', checkpoint.position, `checkpoint ${checkpoint.id} saw another event at its position`)
  }
  const noteRemoved = (from: number, until: number) => {
    if (from <= until)
      report('removed event', from, from === until ? 'the event is missing' : `the events up to position ${until} are missing`)
  }

  while (position < head.position && faults.length + misfits.length < mostFaults) {
    const events = await store.listSealed(db, { after: position, until: head.position, limit: page })
    const until = events.length < page ? head.position : (events.at(-1)?.position ?? head.position)
    // The checkpoint at which the stored chain begins belongs to the first page.
    const from = position === head.startPosition ? position - 1 : position
    const hashes = new Map([[position, hash], ...events.map((event) => [event.position, event.hash] as const)])
    for (const event of events) {
      noteRemoved(position + 1, event.position - 1)
      // After a gap in the positions, verification continues with the hash that is stored there.
      const isFollowing = event.position === position + 1 || begins.has(event.position - 1)
      const before = beginAt(event.position - 1, hash)
      if (isFollowing && hashOf(before, event.position, event) !== event.hash) misfits.push({ event, before })
      position = event.position
      hash = event.hash
    }
    noteRemoved(position + 1, until)
    for (const checkpoint of await chainStore.listCheckpoints(db, from, until))
      checkCheckpoint(checkpoint, hashes.get(checkpoint.position))
    position = until
    yield { from: head.startPosition + 1, position, to: head.position }
  }
  const isWhole = misfits.length === 0 && faults.every(({ kind }) => kind === 'new segment')
  if (isWhole && beginAt(position, hash) !== head.hash)
    report('changed event', head.position, 'the newest event is another one than the head of the chain names')

  // An event that retention has deleted during the verification does not count as missing.
  const start = (await chainStore.findHead(db))?.startPosition ?? head.startPosition
  const all = [...explainMisfits(misfits), ...faults]
  const relevant = all.filter((fault) => fault.kind === 'broken head' || fault.position > start)
  return {
    from: start + 1,
    to: head.position,
    hash: head.hash,
    checkpoints,
    unsealed,
    faults: relevant.sort((a, b) => a.position - b.position).slice(0, mostFaults),
  }
}
