import type { Core } from '../core/core.ts'
import type { Job } from '../core/jobs.ts'
import * as store from './store.ts'

/** Largest number of uses that wait to be stored. Further uses are dropped. */
const mostWaiting = 10_000

export interface LastUse {
  /** Remembers that a secret of an API key was used. The request does not wait: a moment later, one transaction stores all remembered uses. */
  note(hash: string, at: Date): void
  readonly job: Job
}

export const createLastUse = ({ transact }: Pick<Core, 'transact'>): LastUse => {
  let waiting = new Map<string, Date>()
  let wake: () => void = () => undefined

  const write = async () => {
    if (waiting.size === 0) return
    const uses = waiting
    waiting = new Map()
    try {
      await transact(async (tx) => {
        // Rows are written in sorted order, because two nodes may write the same rows at the same time and could deadlock.
        for (const hash of [...uses.keys()].sort()) await store.noteUse(tx, hash, uses.get(hash) ?? new Date(0))
      })
    } catch (error) {
      for (const [hash, at] of uses) if (!waiting.has(hash) && waiting.size < mostWaiting) waiting.set(hash, at)
      throw error
    }
  }

  return {
    note: (hash, at) => {
      if (waiting.size >= mostWaiting && !waiting.has(hash)) return
      const isNew = !waiting.has(hash)
      waiting.set(hash, at)
      if (isNew) wake()
    },
    job: {
      name: 'api-keys.last-use',
      run: write,
      onStart: (wakeJob) => {
        wake = wakeJob
      },
      onStop: write,
    },
  }
}
