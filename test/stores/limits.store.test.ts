import * as limits from '../../src/limits/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const minuteMs = 60_000
const window = at.getTime()

compareStore('limits/store', limits, async ({ store, db, transact, sweep, note }) => {
  await transact(async (tx) => {
    await store.addHits(tx, 'a_%Ä', window, 2)
    await store.addHits(tx, 'a_%Ä', window, 3)
    // A node whose clock is behind.
    await store.addHits(tx, 'a_%Ä', window - minuteMs, 1)
    // The next window, and one begun by a wrong clock.
    await store.addHits(tx, 'a_%Ä', window + 1, 4)
    await store.addHits(tx, 'ahead', window + 2 * minuteMs, 7)
    await store.addHits(tx, 'ahead', window, 1)
    await store.addHits(tx, 'nearly ahead', window + minuteMs, 7)
    await store.addHits(tx, 'nearly ahead', window, 1)
    await store.addHits(tx, 'many', window, 2_147_483_000)
    await store.addHits(tx, 'many', window, 647)
  })
  await sweep('countersBefore', limits.countersBefore(at))
  await sweep('countersBefore', limits.countersBefore(new Date(window + 1)))
  note('countersBefore', await db.knex('rate_limit').orderBy('key').pluck('key'))
})
