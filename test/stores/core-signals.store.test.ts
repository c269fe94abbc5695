import type { Tx } from '../../src/core/db/database.ts'
import { systemRandom } from '../../src/core/random.ts'
import { createSignals, type Signals } from '../../src/core/signals.ts'
import { compareStore } from '../support/stores.ts'

const ofNode = () => createSignals({ ...systemRandom, id: () => 'node' })
let signals = ofNode()
let heard: string[] = []
const store = {
  wake: (tx: Tx, job: string) => signals.wake(tx, job),
  /** Its result is part of a statement for PostgreSQL, which cannot equal that of SQLite. */
  wakeWith: (tx: Tx, job: string) => void signals.wakeWith(tx, job),
  read: (text: string) => signals.read(text),
  /** Each database has its own node. */
  onLocal: (listener: Parameters<Signals['onLocal']>[0]) => {
    signals = ofNode()
    heard = []
    signals.onLocal(listener)
  },
  heard: () => heard.splice(0),
}

compareStore('core/signals', store, async ({ store, transact }) => {
  await store.onLocal((job) => heard.push(job))
  await transact(async (tx) => {
    await store.wake(tx, 'queue.Größe')
    await store.wakeWith(tx, 'queue.mail')
    await store.heard()
  })
  await store.heard()
  await transact(async (tx) => {
    await store.wake(tx, 'queue.mail')
    await store.wakeWith(tx, 'queue.mail')
    throw new Error('rolled back')
  }).catch(() => undefined)
  await store.heard()
  for (const text of ['node queue.mail', 'another queue.mail', 'node', '']) await store.read(text)
})
