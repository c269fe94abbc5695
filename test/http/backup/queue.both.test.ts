import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/core/db/database.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type BackupDirectory, backUp, createBackupDirectory, restore } from '../../support/backup.ts'
import { environmentOf, runCommand, slow } from '../../support/binary.ts'
import { createMigratedDatabase, type TestDatabase } from '../../support/database.ts'

let directory: BackupDirectory
let t: TestApp
let file: string
const later = new Date(Date.now() + 3_600_000)
beforeAll(async () => {
  directory = createBackupDirectory()
  t = await testApp()
  await t.app.jobs.stop()
  const made = { attempts: 0, created_at: new Date() }
  await t.app.core.transact(async (tx) => {
    await tx.knex('task').insert([
      { id: 'waiting', kind: 'mail.send', status: 'pending', due_at: later, ...made },
      { id: 'running', kind: 'mail.send', key: 'k', status: 'running', lease_token: 'lease', due_at: later, ...made },
      { id: 'test.hourly', kind: 'test.hourly', status: 'running', lease_token: 'lease', due_at: later, ...made },
      { id: 'finished', kind: 'mail.send', status: 'done', due_at: later, ...made },
    ])
    await tx
      .knex('mail_request')
      .insert({ id: 'r', kind: 'reset', address: 'ann@example.com', network: 'n', created_at: new Date() })
    await tx.knex('event_reader').insert({ name: 'test', position: 7, lease: 'lease', leased_until: later })
    await tx.knex('backup').insert({ id: 'b', status: 'running', reason: 'schedule', started_at: new Date() })
  })
  file = directory.file('queue.jsonl.gz')
  await backUp(t.database, file)
})
afterAll(async () => {
  await t.stop()
  directory.remove()
})

interface TaskLine {
  readonly status: string
  readonly lease_token: string | null
}

const stateOf = async (database: TestDatabase) => {
  const opened = openDatabase({ url: database.url, poolMax: 1, synchronous: 'NORMAL' })
  const { knex } = opened.db
  try {
    const tasks: (TaskLine & { id: string })[] = await knex('task').select('id', 'status', 'lease_token')
    const requests: string[] = await knex('mail_request').pluck('id')
    const [reader]: unknown[] = await knex('event_reader').where({ name: 'test' }).select('position', 'lease', 'leased_until')
    const [backup]: unknown[] = await knex('backup').where({ id: 'b' }).select('status')
    return { tasks: Object.fromEntries(tasks.map(({ id, ...task }) => [id, task])), requests, reader, backup }
  } finally {
    await opened.destroy()
  }
}

test(
  'a restore holds back everything that was waiting to be sent, and releases tasks that nodes had claimed before the backup',
  slow,
  async () => {
    const target = await createMigratedDatabase()
    try {
      const restored = await restore(target, file)
      expect([restored.exitCode, restored.stderr]).toEqual([0, ''])
      expect(restored.json()).toMatchObject({ held: { 'mail.send': 2, 'requested mails (dropped)': 1 } })
      const { tasks, requests, reader, backup } = await stateOf(target)
      expect(tasks).toMatchObject({
        waiting: { status: 'dead', lease_token: null },
        running: { status: 'dead', lease_token: null },
        'test.hourly': { status: 'pending', lease_token: null },
        finished: { status: 'done' },
      })
      expect(requests).toEqual([])
      expect(reader).toEqual({ position: 7, lease: null, leased_until: null })
      expect(backup).toEqual({ status: 'failed' })
      const requeued = await runCommand(['requeue-task', 'waiting'], environmentOf(target))
      expect(requeued.exitCode).toBe(0)
      expect((await stateOf(target)).tasks['waiting']).toMatchObject({ status: 'pending' })
    } finally {
      await target.drop()
    }
  },
)

test('a restore with --resume-queue lets all waiting tasks continue', slow, async () => {
  const target = await createMigratedDatabase()
  try {
    const restored = await restore(target, file, '--resume-queue')
    expect(restored.json()).toMatchObject({ held: {} })
    const { tasks, requests } = await stateOf(target)
    expect(tasks).toMatchObject({
      waiting: { status: 'pending' },
      running: { status: 'pending', lease_token: null },
      'test.hourly': { status: 'pending', lease_token: null },
    })
    expect(requests).toEqual(['r'])
  } finally {
    await target.drop()
  }
})
