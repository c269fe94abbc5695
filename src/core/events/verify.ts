import type { Db } from '../db/database.ts'
import { type Chain, hashOf, isHeadless } from './chain.ts'
import * as chainStore from './chain-store.ts'
import * as store from './store.ts'

/** Something in the chain that gatehouse did not write. */
export interface ChainFault {
  readonly kind: 'changed event' | 'removed event' | 'broken checkpoint' | 'broken head'
  readonly position: number
  readonly message: string
}

export interface Verification {
  /** Positions that are kept. */
  readonly from: number
  readonly to: number
  /** Hash of the newest sealed event: whoever notes it elsewhere can show later that nothing before it was changed. */
  readonly hash: string
  readonly checkpoints: number
  /** Committed events that no hash covers yet. */
  readonly unsealed: number
  /** In the order of their positions; the first hundred. */
  readonly faults: readonly ChainFault[]
}

const page = 500
const mostFaults = 100

/** Reads the whole chain and names what is wrong with it. It may run beside daemons that seal and delete. */
export const verifyChain = async (db: Db, chain: Pick<Chain, 'isGenuine' | 'isGenuineCheckpoint'>): Promise<Verification> => {
  const faults: ChainFault[] = []
  const report = (kind: ChainFault['kind'], position: number, message: string) => void faults.push({ kind, position, message })
  const head = await chainStore.findHead(db)
  const unsealed = await store.countUnsealed(db)
  if (head === undefined) {
    if (await isHeadless(db)) report('broken head', 0, 'events are sealed, but the head of the chain is missing')
    return { from: 0, to: 0, hash: '', checkpoints: 0, unsealed, faults }
  }
  if (!chain.isGenuine(head)) report('broken head', head.position, 'the head of the chain was not written by this instance')

  let position = head.startPosition
  let hash = head.startHash
  let checkpoints = 0
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

  while (position < head.position && faults.length < mostFaults) {
    const events = await store.listSealed(db, { after: position, until: head.position, limit: page })
    const until = events.length < page ? head.position : (events.at(-1)?.position ?? head.position)
    // The checkpoint at which the kept chain begins is read with the first page.
    const from = position === head.startPosition ? position - 1 : position
    const hashes = new Map([[position, hash], ...events.map((event) => [event.position, event.hash] as const)])
    for (const event of events) {
      noteRemoved(position + 1, event.position - 1)
      // Behind a gap there is nothing to compare with: the chain is followed from the stored hash on.
      const isFollowing = event.position === position + 1
      if (isFollowing && hashOf(hash, event.position, event) !== event.hash)
        report(
          'changed event',
          event.position,
          `event ${event.id} (${event.type}) does not fit its hash: it, or the one before it, was changed`,
        )
      position = event.position
      hash = event.hash
    }
    noteRemoved(position + 1, until)
    for (const checkpoint of await chainStore.listCheckpoints(db, from, until))
      checkCheckpoint(checkpoint, hashes.get(checkpoint.position))
    position = until
  }
  if (faults.length === 0 && hash !== head.hash)
    report('changed event', head.position, 'the newest event is another one than the head of the chain names')

  // What retention deleted meanwhile is not missing.
  const start = (await chainStore.findHead(db))?.startPosition ?? head.startPosition
  const relevant = faults.filter((fault) => fault.kind === 'broken head' || fault.position > start)
  return {
    from: start + 1,
    to: head.position,
    hash: head.hash,
    checkpoints,
    unsealed,
    faults: relevant.sort((a, b) => a.position - b.position).slice(0, mostFaults),
  }
}
