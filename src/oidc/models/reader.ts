import type { Db } from '../../core/database.ts'
import { type FoundModel, findModels } from './store.ts'

export interface Reader {
  /** A code, token or sign-in under way with its user, as it is after this call began. */
  find(id: string): Promise<FoundModel | undefined>
}

interface Waiting {
  readonly id: string
  readonly resolve: (found: FoundModel | undefined) => void
  readonly reject: (error: unknown) => void
}

const largestBatch = 50

/** One statement for the requests that wait while another runs: a statement costs much more than a row. */
export const createReader = (db: Db): Reader => {
  let waiting: Waiting[] = []
  let isRunning = false

  const run = async (batch: readonly Waiting[]) => {
    try {
      const found = await findModels(db, [...new Set(batch.map(({ id }) => id))])
      for (const { id, resolve } of batch) resolve(found.get(id))
    } catch (error) {
      // What comes after would wait as long for the same answer.
      for (const { reject } of [...batch, ...waiting]) reject(error)
      waiting = []
    }
  }
  const drain = async () => {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, largestBatch)
      waiting = waiting.slice(largestBatch)
      await run(batch)
    }
    isRunning = false
  }
  return {
    find: (id) =>
      new Promise((resolve, reject) => {
        waiting.push({ id, resolve, reject })
        if (!isRunning) void drain()
      }),
  }
}
