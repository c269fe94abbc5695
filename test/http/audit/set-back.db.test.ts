/** An attacker with write access to the database removes the newest events and puts an older, genuine row of the head back. */
import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, vi } from 'vitest'
import { syslogMessage } from '../../../src/audit/copies/syslog.ts'
import { createChain } from '../../../src/core/events/chain.ts'
import type { RecordedEvent } from '../../../src/core/events/record.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { environmentOf, runCommand } from '../../support/binary.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { temporaryDirectory } from '../../support/directory.ts'
import { noteEvents, writeNote } from '../../support/events.ts'

const directory = temporaryDirectory()
const path = join(directory, 'events.jsonl')

let t: TestApp
const lines: Record<string, unknown>[] = []
afterEach(async () => {
  await t.stop()
  lines.length = 0
  writeFileSync(path, '')
})

const start = async (events: Record<string, unknown>) => {
  t = await testApp({ config: { events }, onLog: (line) => lines.push(JSON.parse(line)) })
  t.app.events.register({ events: noteEvents })
  // The readers have started, so every later event is copied.
  await vi.waitFor(
    async () => expect(await table('event_reader').whereIn('name', Object.keys(events))).toHaveLength(Object.keys(events).length),
    { timeout: 60_000, interval: 50 },
  )
}
const table = (name: string) => t.app.core.db.knex(name)

/** Writes events and waits until they are sealed, and copied if there is a copy in a file. */
const write = async (...ids: string[]) => {
  for (const id of ids) await t.app.core.transact((tx) => writeNote(t.app, tx, id))
  await vi.waitFor(
    async () => {
      await t.wake('events.seal', 'events.read.file', 'events.read.log')
      expect(await table('event').whereNull('position')).toEqual([])
      const [{ position }] = await table('event_chain').select('position')
      expect(await table('event_reader').whereIn('name', ['file', 'log']).where('position', '<', position)).toEqual([])
    },
    { timeout: 60_000, interval: 50 },
  )
}

/** Notes the present head. The returned function removes every later event and, if requested, the later positions of readers. */
const noteHead = async () => {
  const head = await table('event_chain').first()
  const { position } = head
  return async ({ readers }: { readonly readers: boolean }) => {
    await t.app.core.transact(async (tx) => {
      await tx.knex('event').where('position', '>', position).delete()
      await tx.knex('event_checkpoint').where('position', '>', position).delete()
      await tx.knex('event_chain').update(head)
      if (readers) await tx.knex('event_reader').where('position', '>', position).update({ position })
    })
    return position as number
  }
}
const faults = async (copies?: readonly string[]) =>
  (await t.app.audit.verify(undefined, copies)).faults.map(({ kind, position }) => `${kind} ${position}`)
const finding = async () => (await t.app.diagnosis.run()).filter(({ check }) => check === 'event-copies')

testOnBoth(
  'verify-audit without a copy accepts an older chain head that was put back, and the copy file reveals it to verify-audit and doctor',
  async () => {
    await start({ file: path })
    await write('a', 'b')
    const setBack = await noteHead()
    await write('c', 'd')
    expect([await faults(), await finding()]).toEqual([[], [expect.objectContaining({ severity: 'ok' })]])
    const position = await setBack({ readers: true })
    const unaware = await t.node({ events: {} })
    expect((await unaware.app.audit.verify()).faults).toEqual([])
    await unaware.stop()

    const found = [
      expect.objectContaining({
        ...{
          severity: 'failed',
          code: 'event-copy-differs',
          values: expect.objectContaining({ copy: path, position: position + 1 }),
        },
        remedy: expect.stringContaining('verify-audit'),
      }),
    ]
    expect([await faults(), await finding()]).toEqual([[`copy differs ${position + 1}`], found])
    // The chain grows again beyond the removed events, and the copy receives the new ones.
    await write('e', 'f', 'g')
    expect([await faults(), await finding()]).toEqual([[`copy differs ${position + 1}`], found])
    expect(await runCommand(['verify-audit'], { ...environmentOf(t.database), GATEHOUSE_EVENTS_FILE: path })).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(path),
    })
  },
)

test('doctor reports a remote copy that has received events beyond the end of the chain', async () => {
  await start({ log: true })
  await write('a')
  const setBack = await noteHead()
  await write('b')
  // The jobs are stopped, because sealing would begin a new segment.
  await t.app.jobs.stop()
  const position = await setBack({ readers: false })
  expect(await finding()).toMatchObject([
    { severity: 'failed', code: 'event-copy-differs', values: { copy: 'log', position: position + 1, head: position } },
  ])
})

test('verify-audit --copy compares the chain with the copy of a syslog server or of the log', async () => {
  await start({ log: true })
  await write('a')
  const setBack = await noteHead()
  await write('b')
  const [row] = await table('event').orderBy('position', 'desc').limit(1)
  const event = { id: row.id, type: row.type, occurredAt: new Date(), data: {} } as unknown as RecordedEvent
  const kept = join(directory, 'syslog')
  writeFileSync(kept, `Nov 26 19:00:00 host ${syslogMessage(event, row.position, row.hash)}\nanother { line\n`)
  const log = join(directory, 'log')
  writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  expect([await faults([kept]), await faults([log])]).toEqual([[], []])
  const position = await setBack({ readers: true })
  expect([await faults(), await faults([kept]), await faults([log])]).toEqual([
    [],
    [`copy differs ${position + 1}`],
    [`copy differs ${position + 1}`],
  ])
  const env = environmentOf(t.database)
  expect(await runCommand(['verify-audit', '--copy', kept], env)).toMatchObject({ exitCode: 3 })
  expect(await runCommand(['verify-audit', '--copy', join(directory, 'missing')], env)).toMatchObject({ exitCode: 3 })
})

test('events deleted by retention, a renamed copy file and a torn line do not count as differences', async () => {
  await start({ file: path })
  await write('a', 'b')
  t.clock.advance({ hours: 1 })
  await write('c')
  const middle = t.app.core.clock.after(60)
  t.clock.advance({ hours: 1 })
  await write('d')
  expect(await createChain(t.app.core).deleteBefore(middle)).toBeGreaterThan(0)
  appendFileSync(path, '{"position":1,"ha')
  expect([await faults(), await finding()]).toEqual([[], [expect.objectContaining({ severity: 'ok' })]])
  expect((await t.app.audit.verify()).copies).toEqual([{ copy: path, compared: 1 }])
  renameSync(path, `${path}.1`)
  expect((await t.app.audit.verify()).copies).toEqual([])
  expect(await finding()).toMatchObject([{ severity: 'ok' }])
})

testOnBoth(
  'the daemon logs position and hash of the chain head at start, on a change and at stop, and logs an error when a position was lost',
  async () => {
    await start({ file: path })
    const heads = () =>
      lines.filter(({ msg }) => msg === 'the head of the event chain').map(({ position, hash }) => ({ position, hash }))
    const headNow = async () => (await table('event_chain').select('position', 'hash'))[0]
    const logged = () =>
      vi.waitFor(
        async () => {
          await t.wake('events.head')
          expect(heads().at(-1)).toEqual(await headNow())
        },
        { timeout: 60_000, interval: 50 },
      )
    await write('a')
    await logged()
    const setBack = await noteHead()
    await write('b')
    await logged()
    await t.wake('events.head')
    expect(new Set(heads().map(({ position }) => position)).size).toBe(heads().length)
    const position = await setBack({ readers: true })
    await vi.waitFor(async () => {
      await t.wake('events.head')
      expect(lines).toContainEqual(
        expect.objectContaining({
          level: 'error',
          position: position + 1,
          msg: expect.stringMatching(/^the event chain lost the place/),
        }),
      )
    }, 60_000)
    await logged()
    await write('c')
    expect(heads().at(-1)).not.toEqual(await headNow())
    await t.app.jobs.stop()
    expect(heads().at(-1)).toEqual(await headNow())
    const before = heads().length
    const node = await t.node()
    await vi.waitFor(() => expect(heads()).toHaveLength(before + 1), { timeout: 60_000, interval: 50 })
    await node.stop()
  },
)

test('a command that finds the chain head changed prints a working command that explains the change', async () => {
  await start({ file: path })
  await write('a', 'b')
  await t.app.jobs.stop()
  await table('event_chain').update({ seal: 'changed' })
  const env = environmentOf(t.database)
  const { exitCode, stderr } = await runCommand(['prune', '--dry-run'], env)
  expect(exitCode).toBe(3)
  const [, command = ''] = /; (.*) says more/.exec(stderr) ?? []
  expect(command).toBe('gatehouse verify-audit')
  expect((await runCommand(command.split(' ').slice(1), env)).stderr).toContain(
    'the head of the chain was not written by this instance',
  )
})
