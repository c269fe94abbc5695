import { z } from 'zod'
import type { Sealed } from '../../src/core/crypto.ts'
import { insertHead, replaceHead } from '../../src/core/events/chain-store.ts'
import * as readers from '../../src/core/events/readers.ts'
import { insertEvents, placeEvents } from '../../src/core/events/store.ts'
import { defineEvents } from '../../src/core/events/types.ts'
import { systemRandom } from '../../src/core/random.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const { 'user.renamed': renamed } = defineEvents({
  'user.renamed': { summary: '', subject: 'user', data: z.object({ name: z.string() }) },
})
/** The handler returns the events of readers, so that they are compared. */
const store = { ...readers, handed: (events: readonly unknown[]) => [...events] }

compareStore(
  'core/events/readers',
  store,
  async ({ store: { runReader, listReaders, releaseReaders, handed }, db, transact, insert, compareRows }) => {
    let now = at
    const clock = { now: () => now, after: (seconds: number) => new Date(now.getTime() + seconds * 1000) }
    const core = { db, transact, clock, random: { ...systemRandom, id: () => 'lease' } }
    const stop = new AbortController()
    const events: unknown[] = []
    let failsAt: number | undefined
    const reader = (name: string, startsAt: 'oldest' | 'newest'): readers.EventReader => ({
      ...{ name, startsAt },
      handle: async (event, position, hash) => {
        if (position === failsAt) throw new Error(`Ünal "%_" ${'x'.repeat(600)}`)
        events.push([name, event, position, hash])
      },
    })
    const ofOneType = readers.readEvents(renamed, {
      ...{ name: 'renamed', startsAt: 'oldest' },
      handle: async ({ data }, position) => void events.push([data.name, position]),
    })
    const event = (id: string, type: string) => ({
      ...{
        id,
        type,
        occurredAt: at,
        actorKind: 'user',
        actorId: 'u',
        sessionId: null,
        impersonatorId: null,
        subjectType: 'user',
      },
      ...{
        subjectId: 'u',
        organizationId: null,
        address: '',
        userAgent: '',
        requestId: '',
        reason: null,
        data: '{"name":"Ünal"}',
      },
    })
    const head = { id: 'events', hash: 'h', startPosition: 0, startHash: '' }
    const run = (one: readers.EventReader) => runReader(core, one, stop.signal).catch(() => undefined)

    await run(reader('before any event', 'newest'))
    await transact(async (tx) =>
      insertEvents(tx, [event('e1', 'user.renamed'), event('e2', 'session.created'), event('e3', 'user.renamed')]),
    )
    await transact(async (tx) => {
      await placeEvents(
        tx,
        ['e1', 'e2', 'e3'].map((id, i) => ({ id, position: 9 + i, hash: `of ${id}` })),
      )
      await insertHead(tx, { ...head, position: 10, seal: 'a' as Sealed })
    })
    await listReaders(db, ['oldest', 'before any event'])
    for (const one of [reader('oldest', 'oldest'), reader('newest', 'newest'), reader('before any event', 'newest'), ofOneType])
      await run(one)
    await handed(events)
    await transact((tx) => replaceHead(tx, 'a' as Sealed, { ...head, position: 11, seal: 'b' as Sealed }))
    await insert('event_reader', { name: 'taken', position: 0, lease: 'another', leased_until: clock.after(1) })
    failsAt = 11
    await run(reader('oldest', 'oldest'))
    now = clock.after(0.5)
    await run(reader('oldest', 'oldest'))
    await run(reader('taken', 'oldest'))
    await listReaders(db, ['taken', 'oldest', 'renamed', 'none'])
    await listReaders(db, [])
    await compareRows()
    await transact((tx) => releaseReaders(tx))
    failsAt = undefined
    for (const name of ['oldest', 'taken']) await run(reader(name, 'oldest'))
    await run(ofOneType)
    await handed(events)
    await listReaders(db, ['taken', 'oldest', 'newest', 'renamed'])
  },
  { uncalled: ['readEvents'] },
)
