import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createChain, hashOf } from '../../../src/core/events/chain.ts'
import { headContext } from '../../../src/core/events/chain-store.ts'
import { listSealed } from '../../../src/core/events/store.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { environmentOf, runCommand } from '../../support/binary.ts'
import { dialect } from '../../support/database.ts'
import { eventsOf, isWritten, noteEvents, sealAll, writeNote } from '../../support/events.ts'
import { overlap } from '../../support/overlap.ts'
import { statementsOf } from '../../support/statements.ts'

let t: TestApp
beforeEach(async () => {
  t = await testApp()
  await t.app.jobs.stop()
  await t.app.core.db.knex('event').delete()
  t.app.events.register({ events: noteEvents })
})
afterEach(() => t.stop())

const write = async (app: TestApp, ...ids: string[]) => {
  for (const id of ids) await app.app.core.transact((tx) => writeNote(app.app, tx, id))
}
const positions = async () => (await eventsOf(t)).map(({ position }) => position)
const faults = async () => (await t.app.audit.verify()).faults.map(({ kind, position }) => `${kind} ${position}`)
const table = (name: string) => t.app.core.db.knex(name)

test('sealed events have positions without a gap, and hashes that form a verifiable chain', async () => {
  await write(t, 'a', 'b', 'c')
  await sealAll(t)
  await write(t, 'd')
  await sealAll(t)
  await write(t, 'e')
  expect(await positions()).toEqual([1, 2, 3, 4, null])
  const hashes = (await eventsOf(t)).map(({ hash }) => hash)
  expect(new Set(hashes).size).toBe(5)
  expect(await t.app.audit.verify()).toEqual({
    from: 1,
    to: 4,
    hash: hashes[3],
    checkpoints: 1,
    unsealed: 1,
    copies: [],
    faults: [],
  })
})

test('more events than one transaction seals need several transactions, with a checkpoint after a thousand events', async () => {
  await t.app.core.transact(async (tx) => {
    for (let n = 0; n < 1_250; n += 1) await writeNote(t.app, tx, `n${n}`)
  })
  await sealAll(t)
  const { to, checkpoints, faults } = await t.app.audit.verify()
  expect({ to, checkpoints, faults }).toEqual({ to: 1_250, checkpoints: 2, faults: [] })
})

test.runIf(dialect === 'sqlite')('each sealed event is found by its id, however many events wait to be sealed', async () => {
  await write(t, 'a', 'b')
  const statements = await statementsOf(t, () => sealAll(t))
  const placing = statements.find(({ sql }) => sql.startsWith('update event set position'))
  const steps = await t.app.core.db.knex.raw(`explain query plan ${placing?.sql}`, [...(placing?.bindings ?? [])] as never)
  expect(steps.map(({ detail }: { detail: string }) => detail)).toEqual([
    expect.stringMatching(/^SCAN json_each/),
    expect.stringMatching(/^SEARCH event .*\(id=\?\)$/),
  ])
})

test('two nodes that seal at the same time give every event one position', async () => {
  const node = await t.node()
  await node.app.jobs.stop()
  node.app.events.register({ events: noteEvents })
  for (let round = 0; round < 5; round += 1) {
    const ids = Array.from({ length: 12 }, (_, n) => `r${round}-${n}`)
    await Promise.all(ids.map((id, n) => write(n % 2 === 0 ? t : node, id)))
    await Promise.all([t, node, t, node].map((one) => createChain(one.app.core).seal()))
  }
  await sealAll(t)
  expect(await positions()).toEqual(Array.from({ length: 60 }, (_, n) => n + 1))
  expect(await faults()).toEqual([])
  await node.stop()
})

test('a node gives no positions while another node is about to commit the same positions', async () => {
  const node = await t.node()
  await node.app.jobs.stop()
  await write(t, 'a', 'b')
  await sealAll(t)
  await write(t, 'c')
  // The second node computes the same positions, and then finds that the head has moved.
  const { seal } = await table('event_chain').first()
  const { secrets } = t.app.core
  let sealed = -1
  await overlap(
    [t, node],
    // The same head sealed a second time has another seal.
    async (tx) =>
      void (await tx.knex('event_chain').update({ seal: secrets.seal(secrets.open(seal, headContext), headContext) })),
    async () => {
      sealed = await createChain(node.app.core).seal()
    },
  )
  // On SQLite the second transaction may begin only when the first has committed.
  if (t.app.database.dialect === 'postgres') expect(sealed).toBe(0)
  await sealAll(node)
  expect([await positions(), await faults()]).toEqual([[1, 2, 3], []])
  await node.stop()
})

test('an event that commits after a later event was sealed gets the next position', async () => {
  const started = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const late = t.app.core.transact(async (tx) => {
    await writeNote(t.app, tx, 'late')
    started.resolve()
    await release.promise
  })
  await started.promise
  const early = write(t, 'early')
  // SQLite allows one writer at a time, so the second one waits there.
  if (t.app.database.dialect === 'sqlite') release.resolve()
  await early
  await sealAll(t)
  release.resolve()
  await late
  await sealAll(t)
  expect([await positions(), await faults()]).toEqual([[1, 2], []])
})

test("verification finds a changed event, even if the event's hash was recomputed", async () => {
  await write(t, 'a', 'b', 'c', 'd')
  await sealAll(t)
  await table('event').where({ position: 2 }).update({ actor_id: 'somebody else' })
  expect(await faults()).toEqual(['changed event 2'])
  await table('event')
    .where({ position: 2 })
    .update({ actor_id: null, hash: 'f'.repeat(64) })
  expect(await faults()).toEqual(['changed event 2', 'changed event 3'])
})

/** Changes an event like an attacker with write access to the database, and recomputes its own hash. */
const forge = async (position: number) => {
  await table('event').where({ position }).update({ actor_id: 'somebody else' })
  const [before, forged] = await listSealed(t.app.core.db, { after: position - 2, until: position, limit: 2 })
  if (before === undefined || forged === undefined) throw new Error('no such events')
  await table('event')
    .where({ position })
    .update({ hash: hashOf(before.hash, position, forged) })
}

test('verification finds a change of the newest event, even with a recomputed hash and before any checkpoint', async () => {
  await write(t, 'a', 'b')
  await sealAll(t)
  await write(t, 'c')
  await sealAll(t)
  await forge(3)
  expect(await faults()).toEqual(['changed event 3'])
})

test('a forged segment does not hide a change of an event before the segment', async () => {
  await write(t, 'a', 'b', 'c', 'd')
  await sealAll(t)
  const [{ hash: startHash }, { seal }] = [
    await table('event').where({ position: 2 }).first(),
    await table('event_chain').first(),
  ]
  await forge(2)
  expect(await faults()).toEqual(['changed event 3'])
  // The chain continues with the original hash of the event.
  await table('event_segment').insert({ id: 'forged', position: 2, start_hash: startHash, created_at: new Date(), seal })
  expect(await faults()).toEqual(['changed event 3', 'new segment 3'])
})

test('verification finds a removed event in the middle, at the beginning and at the end', async () => {
  await write(t, 'a', 'b', 'c', 'd', 'e')
  await sealAll(t)
  await table('event').where({ position: 3 }).delete()
  expect(await faults()).toEqual(['removed event 3'])
  await table('event').where({ position: 1 }).delete()
  await table('event').where({ position: 5 }).delete()
  expect(await faults()).toEqual(['removed event 1', 'removed event 3', 'removed event 5'])
})

test('sealing after a chain head was set back begins a new segment, and the segment is recorded and named by verification', async () => {
  await write(t, 'a', 'b', 'c')
  await sealAll(t)
  const kept = (await eventsOf(t))[1]
  await table('event').where({ position: 3 }).delete()
  await table('event_checkpoint').delete()
  await table('event_chain').update({ position: 2, hash: kept?.hash })
  expect(await faults()).toEqual(['broken head 2'])
  await write(t, 'd')
  await sealAll(t)
  expect([await positions(), await faults()]).toEqual([[1, 2, 3], ['new segment 3']])
  await write(t, 'e')
  await sealAll(t)
  expect([await positions(), await faults()]).toEqual([[1, 2, 3, 4], ['new segment 3']])
})

test('verification after a genuine older chain head was put back finds the lost positions, and sealing begins a new segment', async () => {
  await write(t, 'a')
  await sealAll(t)
  const older = await table('event_chain').first()
  await write(t, 'b', 'c')
  await sealAll(t)
  await table('event_chain').update(older)
  expect(await faults()).toEqual(['broken head 1'])
  await write(t, 'd')
  await sealAll(t)
  expect([await positions(), await faults()]).toEqual([[1, 2, 3, 4], ['new segment 4']])

  await table('event').where('position', '>', 1).delete()
  await table('event_segment').delete()
  await table('event_checkpoint').where('position', '>', 1).delete()
  await table('event_chain').update(older)
  expect(await faults()).toEqual([])
  await table('event_reader').insert({ name: 'ahead', position: 4 })
  expect(await faults()).toEqual(['broken head 1'])
  await write(t, 'e')
  await sealAll(t)
  expect([await positions(), await faults()]).toEqual([
    [1, 5],
    ['removed event 2', 'new segment 5'],
  ])
})

test('sealing after the chain head was deleted begins a new segment beyond every position that a reader has passed', async () => {
  await write(t, 'a', 'b', 'c')
  await sealAll(t)
  await table('event_reader').insert({ name: 'ahead', position: 7 })
  await table('event_chain').delete()
  expect(await faults()).toEqual(['broken head 0'])
  await write(t, 'd')
  await sealAll(t)
  expect([await positions(), await faults()]).toEqual([
    [1, 2, 3, 8],
    ['removed event 4', 'new segment 8'],
  ])
})

test('removing the row of a segment does not hide it, because the chain breaks at the beginning of the segment', async () => {
  await write(t, 'a', 'b', 'c')
  await sealAll(t)
  await table('event').where({ position: 3 }).delete()
  await table('event_checkpoint').delete()
  await table('event_chain').update({ position: 2 })
  await write(t, 'd')
  await sealAll(t)
  await table('event_segment').delete()
  expect(await faults()).toEqual(['changed event 3'])
})

test('two nodes that find the chain head changed begin one segment', async () => {
  const node = await t.node()
  await node.app.jobs.stop()
  await write(t, 'a', 'b')
  await sealAll(t)
  await table('event_chain').update({ hash: '0'.repeat(64) })
  await write(t, 'c')
  await Promise.all([t, node, t, node].map((one) => createChain(one.app.core).seal()))
  await sealAll(t)
  expect([await positions(), await faults()]).toEqual([[1, 2, 3], ['new segment 3']])
  await node.stop()
})

test('the daemon records the beginning of a new segment', async () => {
  await write(t, 'a')
  await sealAll(t)
  await table('event_chain').update({ position: 0 })
  const node = await t.node()
  node.app.events.register({ events: noteEvents })
  await write(node, 'b')
  const started = () => t.app.audit.list({ type: 'events.segment_started' }, 10)
  await vi.waitFor(async () => expect(await started()).toMatchObject([{ data: { from: 2 } }]), {
    timeout: 60_000,
    interval: 50,
  })
  await node.stop()
})

test('verification finds two swapped events, adjacent or not, and reports no other events', async () => {
  await write(t, 'a', 'b', 'c', 'd', 'e')
  await sealAll(t)
  const swap = async (one: number, other: number) => {
    for (const [from, to] of [
      [one, 99],
      [other, one],
      [99, other],
    ])
      await table('event').where({ position: from }).update({ position: to })
  }
  await swap(2, 3)
  expect(await faults()).toEqual(['moved event 2', 'moved event 3'])
  await swap(2, 3)
  await swap(1, 4)
  expect(await faults()).toEqual(['moved event 1', 'moved event 4'])
  expect((await t.app.audit.verify()).faults[0]?.message).toMatch(/belongs here and was moved to position 4$/)
  await swap(1, 4)
  expect(await faults()).toEqual([])
})

test('verification reports its progress and reads only as far as requested', async () => {
  await t.app.core.transact(async (tx) => {
    for (let n = 0; n < 1_100; n += 1) await writeNote(t.app, tx, `n${n}`)
  })
  await sealAll(t)
  const seen: number[] = []
  await t.app.audit.verify(({ position }) => seen.push(position))
  expect(seen).toEqual([500, 1_000, 1_100])
})

test('verification finds a changed checkpoint, and a checkpoint whose events were replaced', async () => {
  await write(t, 'a', 'b')
  await sealAll(t)
  const { hash } = await table('event_checkpoint').first()
  await table('event_checkpoint').update({ hash: '0'.repeat(64) })
  expect(await faults()).toEqual(['broken checkpoint 2'])
  await table('event_checkpoint').update({ hash })
  expect(await faults()).toEqual([])
  await table('event')
    .where({ position: 2 })
    .update({ hash: '1'.repeat(64) })
  expect(await faults()).toEqual(['changed event 2', 'broken checkpoint 2'])
})

test('expired events are deleted up to a checkpoint, and the remaining events can still be verified', async () => {
  const chain = createChain(t.app.core)
  await write(t, 'a', 'b')
  await sealAll(t)
  t.clock.advance({ hours: 1 })
  await write(t, 'c', 'd')
  await sealAll(t)
  const middle = t.app.core.clock.after(60)
  t.clock.advance({ hours: 1 })
  await write(t, 'e')
  await sealAll(t)
  await chain.deleteBefore(middle)
  expect(await positions()).toEqual([5])
  expect(await t.app.audit.verify()).toMatchObject({ from: 5, to: 5, checkpoints: 2, faults: [] })
  await write(t, 'f')
  await sealAll(t)
  expect([await positions(), await faults()]).toEqual([[5, 6], []])
  await table('event').where({ position: 5 }).delete()
  expect(await faults()).toEqual(['removed event 5'])
})

test('the daemon seals the recorded events without a command', async () => {
  const node = await t.node()
  node.app.events.register({ events: noteEvents })
  await write(node, 'a')
  await vi.waitFor(async () => expect(await positions()).toEqual([1]), { timeout: 60_000, interval: 50 })
  await node.stop()
})

test('an event of a killed process exists exactly when the change that it records exists', async () => {
  const script = join(import.meta.dirname, '../../support/event-writer.ts')
  const compileCache = join(import.meta.dirname, '../../support/compile-cache.js')
  const { url, pooler } = t.database
  const child = spawn(process.execPath, ['--import', compileCache, script, url, pooler], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
  for (const [id, isThere] of [
    ['uncommitted', false],
    ['committed', true],
  ] as const) {
    const found = (await eventsOf(t)).filter(({ subject_id }) => subject_id === id)
    expect([await isWritten(t, id), found.length === 1]).toEqual([isThere, isThere])
  }
  await sealAll(t)
  expect([await positions(), await faults()]).toEqual([[1], []])
}, 60_000)

test('commands list the events and verify the chain, and refuse a broken chain', async () => {
  await write(t, 'a', 'b')
  await sealAll(t)
  const env = environmentOf(t.database)
  const listed = (await runCommand(['list-audit', '--json', '--subject', 'b'], env)).json()
  expect(listed).toEqual([expect.objectContaining({ type: 'note.written', subjectId: 'b', data: { length: 1 }, position: 2 })])
  const [{ id }] = listed as [{ id: string }]
  const page = async (...flags: string[]) =>
    ((await runCommand(['list-audit', '--json', ...flags], env)).json() as { subjectId: string }[]).map(
      ({ subjectId }) => subjectId,
    )
  expect(await page('--limit', '1')).toEqual(['b'])
  expect(await page('--before', id)).toEqual(['a'])
  expect(await page('--type', 'note.torn')).toEqual([])
  expect(await page('--since', '2020-01-01', '--type', 'note.written')).toEqual(['b', 'a'])
  expect(await runCommand(['verify-audit'], env)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('The events 1 to 2 are unchanged, with 1 checkpoints; 0 wait to be sealed.'),
  })
  await table('event').where({ position: 1 }).delete()
  expect(await runCommand(['verify-audit'], env)).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('EVENTS_WERE_CHANGED'),
  })
})
