import type { Db } from '../db/database.ts'
import { type Chain, hashOf, isHeadless } from './chain.ts'
import * as chainStore from './chain-store.ts'
import { type ChainFault, explainMisfits, type Misfit } from './misfits.ts'
import { lastPosition, listSegments } from './segment-store.ts'
import * as store from './store.ts'

export interface Verification {
  /** First and last stored position. Both are 0 if no event is stored. */
  readonly from: number
  readonly to: number
  /** Hash of the newest sealed event. A copy of it in another place can prove later that no earlier event was changed. */
  readonly hash: string
  readonly checkpoints: number
  /** Number of committed events without a hash. */
  readonly unsealed: number
  /** The first hundred problems, in the order of positions. */
  readonly faults: readonly ChainFault[]
}

/** Progress of a verification. */
export interface Progress {
  readonly from: number
  readonly position: number
  readonly to: number
}

const page = 500
const mostFaults = 100

type Genuineness = Pick<Chain, 'isGenuine' | 'isGenuineCheckpoint' | 'isGenuineSegment'>

/** Verifies the chain: reads all of it in pages, yields the progress, and returns the problems. Daemons may seal and delete events meanwhile. */
export async function* verifyChain(db: Db, chain: Genuineness): AsyncGenerator<Progress, Verification> {
  const faults: ChainFault[] = []
  const misfits: Misfit[] = []
  const report = (kind: ChainFault['kind'], position: number, message: string) => void faults.push({ kind, position, message })
  // The last position is read before the head, because events may be sealed meanwhile.
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
  /** The first hash of each segment, by the position before it. */
  const begins = new Map<number, string>()
  for (const segment of await listSegments(db)) {
    if (segment.position < position || segment.position > head.position) continue
    const at = segment.createdAt.toISOString()
    // A segment that this instance did not write is ignored. The chain then counts as broken there.
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
    // The checkpoint at the beginning of the stored chain is read with the first page.
    const from = position === head.startPosition ? position - 1 : position
    const hashes = new Map([[position, hash], ...events.map((event) => [event.position, event.hash] as const)])
    for (const event of events) {
      noteRemoved(position + 1, event.position - 1)
      // After a gap, verification continues from the next stored hash.
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

  // An event that retention has deleted meanwhile is not missing.
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
