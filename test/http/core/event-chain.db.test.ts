import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createChain } from '../../../src/core/events/chain.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { environmentOf, runCommand } from '../../support/binary.ts'
import { eventsOf, isWritten, noteEvents, sealAll, writeNote } from '../../support/events.ts'
import { overlap } from '../../support/overlap.ts'

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

test('sealed events have positions without a gap, and a chain of hashes that can be checked', async () => {
  await write(t, 'a', 'b', 'c')
  await sealAll(t)
  await write(t, 'd')
  await sealAll(t)
  await write(t, 'e')
  expect(await positions()).toEqual([1, 2, 3, 4, null])
  const hashes = (await eventsOf(t)).map(({ hash }) => hash)
  expect(new Set(hashes).size).toBe(5)
  expect(await t.app.audit.verify()).toEqual({ from: 1, to: 4, hash: hashes[3], checkpoints: 1, unsealed: 1, faults: [] })
})

test('more events than one transaction seals are sealed by several, with a checkpoint after a thousand', async () => {
  await t.app.core.transact(async (tx) => {
    for (let n = 0; n < 1_250; n += 1) await writeNote(t.app, tx, `n${n}`)
  })
  await sealAll(t)
  const { to, checkpoints, faults } = await t.app.audit.verify()
  expect({ to, checkpoints, faults }).toEqual({ to: 1_250, checkpoints: 2, faults: [] })
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

test('a node that seals while another one is about to commit the same positions gives none', async () => {
  const node = await t.node()
  await node.app.jobs.stop()
  await write(t, 'a', 'b')
  await sealAll(t)
  await write(t, 'c')
  // The second node computes the same positions and then meets a head that has moved.
  const head = await table('event_chain').first()
  await overlap(
    [t, node],
    async (tx) =>
      void (await tx.knex('event_chain').update({ seal: head.seal.replace(/.$/, (last: string) => (last === '0' ? '1' : '0')) })),
    async () =>
      expect(
        await createChain(node.app.core)
          .seal()
          .catch(() => 0),
      ).toBe(0),
  )
  await table('event_chain').update({ seal: head.seal })
  await sealAll(node)
  expect([await positions(), await faults()]).toEqual([[1, 2, 3], []])
  await node.stop()
})

test('an event that commits after a later one was sealed gets the next position', async () => {
  const started = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const late = t.app.core.transact(async (tx) => {
    await writeNote(t.app, tx, 'late')
    started.resolve()
    await release.promise
  })
  await started.promise
  const early = write(t, 'early')
  // SQLite lets one transaction write at a time: there the second one waits.
  if (t.app.database.dialect === 'sqlite') release.resolve()
  await early
  await sealAll(t)
  release.resolve()
  await late
  await sealAll(t)
  expect([await positions(), await faults()]).toEqual([[1, 2], []])
})

test('verification finds a changed event, also where its hash was made to fit', async () => {
  await write(t, 'a', 'b', 'c', 'd')
  await sealAll(t)
  await table('event').where({ position: 2 }).update({ actor_id: 'somebody else' })
  expect(await faults()).toEqual(['changed event 2'])
  await table('event')
    .where({ position: 2 })
    .update({ actor_id: null, hash: 'f'.repeat(64) })
  expect(await faults()).toEqual(['changed event 2', 'changed event 3'])
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

test('verification finds a head that was set back, and no event is sealed after it', async () => {
  await write(t, 'a', 'b', 'c')
  await sealAll(t)
  const kept = (await eventsOf(t))[1]
  await table('event').where({ position: 3 }).delete()
  await table('event_checkpoint').delete()
  await table('event_chain').update({ position: 2, hash: kept?.hash })
  expect(await faults()).toEqual(['broken head 2'])
  await write(t, 'd')
  await expect(sealAll(t)).rejects.toThrow('the head of the event chain was changed')
  await table('event_chain').delete()
  await expect(sealAll(t)).rejects.toThrow('the head of the event chain was changed')
  expect(await faults()).toEqual(['broken head 0'])
})

test('verification finds a checkpoint that was changed, and one whose events were replaced', async () => {
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

test('events are deleted up to a checkpoint after their time, and what is kept can still be checked', async () => {
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

test('the daemon seals the events it recorded without being asked', async () => {
  const node = await t.node()
  node.app.events.register({ events: noteEvents })
  await write(node, 'a')
  await vi.waitFor(async () => expect(await positions()).toEqual([1]), { timeout: 10_000, interval: 50 })
  await node.stop()
})

test('an event of a killed process exists exactly when the change it describes does', async () => {
  const script = join(import.meta.dirname, '../../support/event-writer.ts')
  for (const [when, isThere] of [
    ['before', false],
    ['after', true],
  ] as const) {
    const env = { PATH: process.env['PATH'], ...environmentOf(t.database) }
    const child = spawn(process.execPath, [script, when], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'close')
    const found = (await eventsOf(t)).filter(({ subject_id }) => subject_id === when)
    expect([await isWritten(t, when), found.length === 1]).toEqual([isThere, isThere])
  }
  await sealAll(t)
  expect([await positions(), await faults()]).toEqual([[1], []])
}, 60_000)

test('the commands list events and verify the chain, and a broken chain is refused', async () => {
  await write(t, 'a', 'b')
  await sealAll(t)
  const env = environmentOf(t.database)
  const listed = (await runCommand(['list-events', '--json', '--subject', 'b'], env)).json()
  expect(listed).toEqual([expect.objectContaining({ type: 'note.written', subjectId: 'b', data: { length: 1 }, position: 2 })])
  const [{ id }] = listed as [{ id: string }]
  const page = async (...flags: string[]) =>
    ((await runCommand(['list-events', '--json', ...flags], env)).json() as { subjectId: string }[]).map(
      ({ subjectId }) => subjectId,
    )
  expect(await page('--limit', '1')).toEqual(['b'])
  expect(await page('--before', id)).toEqual(['a'])
  expect(await page('--type', 'note.torn')).toEqual([])
  expect(await page('--since', '2020-01-01', '--type', 'note.written')).toEqual(['b', 'a'])
  expect(await runCommand(['verify-events'], env)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('The events 1 to 2 are unchanged, with 1 checkpoints; 0 wait to be sealed.'),
  })
  await table('event').where({ position: 1 }).delete()
  expect(await runCommand(['verify-events'], env)).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('EVENTS_WERE_CHANGED'),
  })
})
