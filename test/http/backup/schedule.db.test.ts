import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { readBackup } from '../../../src/backup/file/read.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type BackupDirectory, createBackupDirectory } from '../../support/backup.ts'
import { environmentOf, runCommand, slow } from '../../support/binary.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { tellsOpenFiles, timesOpen } from '../../support/open-files.ts'

let directory: BackupDirectory
let t: TestApp
beforeEach(async () => {
  directory = createBackupDirectory()
})
afterEach(async () => {
  await t.stop()
  directory.remove()
})

const start = (backup: Record<string, unknown>) =>
  testApp({ config: { backup: { directory: directory.path, withoutKeys: true, ...backup } } })

const signedInAs = async (role: string): Promise<Client> => {
  const email = `${role}@example.com`
  const client = await t.signedIn(email)
  await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))
  return client
}

const files = () =>
  readdirSync(directory.path)
    .filter((name) => name.endsWith('.jsonl.gz'))
    .sort()

/** Waits until a number of backups have a status. */
const untilCount = (client: Client, status: 'made' | 'failed' | 'deleted', count: number) =>
  vi.waitFor(
    async () => {
      // Moves the clock to the time when the next backup is due.
      await t.wake('queue.backup.schedule', 'queue.backup.make')
      const { backups } = await client.api.backups.adminListBackups({ query: { status } })
      if (backups.length < count) throw new Error(`${backups.length} of ${count} are ${status}`)
      return backups
    },
    { timeout: 60_000, interval: 50 },
  )

const eventsOf = (type: string): Promise<readonly { data: string }[]> =>
  t.app.core.db.knex('event').where({ type }).select('data')

test(
  'an administrator requests a backup, a node writes and verifies it, and people who may read backups see it in the list',
  slow,
  async () => {
    t = await start({ everyHours: 0 })
    const admin = await signedInAs('admin')
    const { backups: none } = await admin.api.backups.adminListBackups({ query: {} })
    expect(none).toEqual([])
    const asked = await admin.api.backups.adminCreateBackup({ body: {} })
    expect(asked).toMatchObject({ status: 'pending', reason: 'call', file: null })
    const [made] = await untilCount(admin, 'made', 1)
    expect(made).toMatchObject({ id: asked.id, hasKeys: false, error: null })
    const content = await readBackup(made?.file ?? '')
    expect([content.bytes, content.total.rows, content.trailer.sha256]).toEqual([made?.bytes, made?.rows, made?.sha256])
    expect(statSync(made?.file ?? '').mode & 0o777).toBe(0o600)
    expect(await eventsOf('backup.made')).toHaveLength(1)

    const auditor = await signedInAs('auditor')
    expect((await auditor.api.backups.adminListBackups({ query: { sort: 'startedAt', order: 'asc' } })).backups).toHaveLength(1)
    expect((await auditor.post('/admin/backups')).json).toMatchObject({ code: 'FORBIDDEN' })
    expect((await (await t.signedIn('ann@example.com')).request('/admin/backups')).json).toMatchObject({ code: 'FORBIDDEN' })
  },
)

test(
  'an administrator who has just signed in downloads a complete backup under its name, and the download is recorded',
  slow,
  async () => {
    t = await start({ everyHours: 0 })
    const admin = await signedInAs('admin')
    const { id } = await admin.api.backups.adminCreateBackup({ body: {} })
    const [made] = await untilCount(admin, 'made', 1)
    const file = made?.file ?? ''
    const path = `/admin/backups/${id}/content`
    const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const fetched = () => fetch(`${t.url}${path}`, { headers: { cookie } })
    expect(await admin.api.backups.adminGetBackup({ params: { id } })).toEqual(made)
    const answer = await fetched()
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      ...[200, 'application/gzip', 'no-store'],
    ])
    expect(answer.headers.get('content-disposition')).toContain(basename(file))
    expect(Buffer.from(await answer.arrayBuffer()).equals(readFileSync(file))).toBe(true)
    expect(await eventsOf('backup.downloaded')).toHaveLength(1)
    // A client that disconnects before or after the first byte leaves no file open.
    const { hostname, port, host } = new URL(t.url)
    const socket = connect(Number(port), hostname)
    const alive = () => fetch(`${t.url}/livez`)
    // On SQLite the call waits for this transaction, and its client has disconnected when the call continues.
    await t.app.core.transact(async () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`)
      await alive()
      socket.resetAndDestroy()
      await alive()
    })
    await expect.poll(() => eventsOf('backup.downloaded')).toHaveLength(2)
    await (await fetched()).body?.cancel()
    if (tellsOpenFiles) await expect.poll(() => timesOpen(file), { timeout: 10_000 }).toBe(0)

    const auditor = await signedInAs('auditor')
    expect(await auditor.api.backups.adminGetBackup({ params: { id } })).toMatchObject({ id })
    expect((await auditor.request(path)).json).toMatchObject({ code: 'FORBIDDEN' })
    for (const unknown of ['none', '..%2F..%2Fetc%2Fpasswd'])
      for (const end of ['', '/content'])
        expect((await admin.request(`/admin/backups/${unknown}${end}`)).json).toMatchObject({
          code: expect.stringMatching(/NOT_FOUND$/),
        })

    // Rows that contradict their file: a file outside the directory, behind a link or of another length is not sent.
    const place = (patch: { file?: string; status?: string; bytes?: number }) =>
      t.app.core.db.knex('backup').where({ id }).update(patch)
    for (const other of ['/etc/hostname', join(dirname(file), '..', 'gatehouse.db'), join(dirname(file), 'absent.jsonl.gz')]) {
      await place({ file: other })
      expect((await admin.request(path)).json).toMatchObject({ code: 'BACKUP_IS_ELSEWHERE' })
    }
    const link = join(dirname(file), 'link.jsonl.gz')
    symlinkSync(file, link)
    await place({ file: link })
    expect((await admin.request(path)).json).toMatchObject({ code: 'BACKUP_IS_ELSEWHERE' })
    await place({ file, bytes: 1 })
    expect((await admin.request(path)).json).toMatchObject({ code: 'BACKUP_DAMAGED' })
    await place({ bytes: made?.bytes ?? 0, status: 'deleted' })
    expect((await admin.request(path)).json).toMatchObject({ code: 'BACKUP_NOT_FOUND' })
    await place({ status: 'made' })
    await t.app.core.db.knex('session').update({ proven_at: new Date(Date.now() - 3 * 86_400_000) })
    expect((await admin.request(path)).json).toMatchObject({ code: 'SESSION_IS_NOT_FRESH' })
    expect(await eventsOf('backup.downloaded')).toHaveLength(3)
  },
)

testOnBoth('of two simultaneous requests one starts a backup, and the other is told that a backup is running', slow, async () => {
  t = await start({ everyHours: 0 })
  const admin = await signedInAs('admin')
  // A request under way, as another node sees it before it has started.
  await t.app.core.transact((tx) =>
    tx.knex('backup').insert({ id: 'open', status: 'pending', reason: 'call', started_at: new Date() }),
  )
  const refused = await admin.post('/admin/backups')
  expect([refused.status, refused.json['code']]).toEqual([409, 'BACKUP_IS_UNDER_WAY'])
  // The node of this backup never returns.
  t.clock.advance({ hours: 13 })
  const again = await signedInAs('auditor')
  const both = await Promise.all([admin.post('/admin/backups'), admin.post('/admin/backups')])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  await untilCount(again, 'made', 1)
  expect((await again.api.backups.adminListBackups({ query: { status: 'failed' } })).backups).toMatchObject([{ id: 'open' }])
})

test('an instance without a backup directory makes no backups', async () => {
  t = await testApp()
  const admin = await signedInAs('admin')
  const refused = await admin.post('/admin/backups')
  expect([refused.status, refused.json['code']]).toEqual([409, 'BACKUPS_ARE_NOT_CONFIGURED'])
})

testOnBoth('the schedule makes one backup a day, and deletes old backups only after a new backup is verified', slow, async () => {
  t = await start({ everyHours: 24, keep: { count: 2 } })
  const auditor = await signedInAs('auditor')
  await untilCount(auditor, 'made', 1)
  const [first = ''] = files()
  // An operator's file, and a file left by a node that was killed.
  writeFileSync(join(directory.path, 'gatehouse-by-hand.jsonl.gz'), 'kept')
  writeFileSync(join(directory.path, '.gatehouse-old.jsonl.gz.x.partial'), '')
  const longAgo = new Date(Date.now() - 2 * 86_400_000)
  utimesSync(join(directory.path, '.gatehouse-old.jsonl.gz.x.partial'), longAgo, longAgo)

  t.clock.advance({ hours: 25 })
  await untilCount(auditor, 'made', 2)
  expect(files()).toContain(first)
  t.clock.advance({ hours: 25 })
  const deleted = await untilCount(auditor, 'deleted', 1)
  expect(deleted).toMatchObject([{ file: join(directory.path, first) }])
  expect(files()).not.toContain(first)
  expect(files()).toHaveLength(3)
  expect(existsSync(join(directory.path, '.gatehouse-old.jsonl.gz.x.partial'))).toBe(false)
})

test('a failed backup is recorded and reported by doctor, and no older backup is deleted', slow, async () => {
  t = await start({ everyHours: 0, keep: { count: 1 } })
  const admin = await signedInAs('admin')
  const doctor = async () => {
    const result = await runCommand(['doctor', '--json'], environmentOf(t.database))
    const found = (result.json() as { check: string; severity: string; message: string }[]).find(
      ({ check }) => check === 'backup',
    )
    return `${found?.severity}: ${found?.message}`
  }
  expect(await doctor()).toBe('warning: No backup was ever made')
  await admin.api.backups.adminCreateBackup({ body: {} })
  await untilCount(admin, 'made', 1)
  expect(await doctor()).toBe('ok: ')
  const kept = files()
  // A sealed value that no secret of this instance opens, so the backup could not be restored.
  const now = new Date()
  await t.app.core.transact((tx) =>
    tx.knex('task').insert({
      ...{ id: 'foreign', kind: 'test', status: 'dead', attempts: 1, due_at: now, created_at: now },
      payload: `01deadbeef${'0'.repeat(80)}`,
    }),
  )
  await admin.api.backups.adminCreateBackup({ body: {} })
  const [failed] = await untilCount(admin, 'failed', 1)
  expect(failed?.error).toContain('deadbeef')
  expect(await eventsOf('backup.failed')).toHaveLength(1)
  expect(files()).toEqual(kept)
  expect(readdirSync(directory.path).filter((name) => name.endsWith('.partial'))).toEqual([])
  // Doctor would report the value itself and fail.
  await t.app.core.transact((tx) => tx.knex('task').where({ id: 'foreign' }).delete())
  expect(await doctor()).toContain('warning: The last backup failed')
})
