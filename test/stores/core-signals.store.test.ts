import { systemRandom } from '../../src/core/random.ts'
import { createSignals } from '../../src/core/signals.ts'
import { compareStore } from '../support/stores.ts'

const signals = createSignals({ ...systemRandom, id: () => 'node' })
const heard: string[] = []
const store = {
  ...signals,
  /** What it answers is for PostgreSQL alone: the statement that sends it is compared. */
  wakeWith: (...args: Parameters<typeof signals.wakeWith>) => void signals.wakeWith(...args),
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
  // What is not committed wakes nobody.
  await transact(async (tx) => {
    await store.wake(tx, 'queue.mail')
    await store.wakeWith(tx, 'queue.mail')
    throw new Error('rolled back')
  }).catch(() => undefined)
  await store.heard()
  for (const text of ['node queue.mail', 'another queue.mail', 'node', '']) await store.read(text)
})
