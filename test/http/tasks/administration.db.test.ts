import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  await t.app.jobs.stop()
  admin = await t.signedIn('root@example.com')
  await t.app.core.transact((tx) => tx.knex('user').update({ role: 'admin' }))
  for (const [n, status] of ['pending', 'running', 'done', 'dead', 'dead', 'dead'].entries()) {
    const at = new Date(Date.parse('2026-01-01T00:00:00Z') + n * 60_000)
    await t.app.core.db.knex('task').insert({
      ...{
        id: `t${n}`,
        kind: 'test.kind',
        status,
        attempts: n,
        payload: '{"word":"geheim"}',
        details: '{"n":1}',
        label: 'about it',
      },
      ...{ due_at: at, created_at: at, last_error: status === 'dead' ? 'broken' : null, lease_token: null },
      expires_at: ['dead', 'done'].includes(status) ? t.app.core.clock.after(3_600) : null,
    })
  }
})
afterAll(() => t.stop())

const ids = async (query: NonNullable<Parameters<typeof admin.api.tasks.listTasks>[0]>['query']) =>
  (await admin.api.tasks.listTasks({ query: { kind: 'test.kind', ...query } })).tasks.map(({ id }) => id)

test('tasks are listed newest first, filtered by kind, status and time, without their payload', async () => {
  expect(await ids({})).toEqual(['t5', 't4', 't3', 't2', 't1', 't0'])
  expect(await ids({ order: 'asc', status: 'dead' })).toEqual(['t3', 't4', 't5'])
  expect(await ids({ status: 'running' })).toEqual(['t1'])
  expect(await ids({ kind: 'test' })).toEqual([])
  expect(await ids({ createdSince: '2026-01-01T00:01:00Z', createdUntil: '2026-01-01T00:03:00Z' })).toEqual([...['t2', 't1']])
  const dead = await admin.api.tasks.listTasks({ query: { status: 'dead', limit: 2 } })
  expect(dead.tasks.map(({ id }) => id)).toEqual(['t5', 't4'])
  expect(dead.tasks[0]).toEqual({
    ...{ id: 't5', kind: 'test.kind', key: null, label: 'about it', status: 'dead', attempts: 5, lastError: 'broken' },
    ...{ createdAt: new Date('2026-01-01T00:05:00Z'), dueAt: new Date('2026-01-01T00:05:00Z'), expiresAt: expect.any(Date) },
  })
  expect((await admin.api.tasks.listTasks({ query: { status: 'dead', limit: 2, after: dead.next ?? '' } })).tasks).toMatchObject([
    { id: 't3' },
  ])
  expect((await admin.request('/admin/tasks')).text).not.toContain('geheim')
})

test('a dead task is requeued once and dropped once, and both actions are recorded', async () => {
  expect(await admin.api.tasks.requeueTask({ params: { id: 't4' } })).toMatchObject({
    ...{ id: 't4', status: 'pending', attempts: 0, expiresAt: null },
  })
  expect(await admin.api.tasks.deleteTask({ params: { id: 't5' } })).toEqual({ id: 't5' })
  expect(await ids({ status: 'dead' })).toEqual(['t3'])
  for (const id of ['t4', 't5', 't0', 'unknown']) {
    const notFound = { status: 404, code: 'TASK_NOT_FOUND' }
    await expect(admin.api.tasks.requeueTask({ params: { id } })).rejects.toMatchObject(notFound)
    await expect(admin.api.tasks.deleteTask({ params: { id } })).rejects.toMatchObject(notFound)
  }
  const { id: actorId } = await t.app.users.require(t.app.core.db, 'root@example.com')
  for (const [type, subjectId] of [
    ['task.requeued', 't4'],
    ['task.dropped', 't5'],
  ])
    expect(await t.app.audit.list({ type }, 10)).toMatchObject([{ actorKind: 'user', actorId, subjectId }])
})

testOnBoth('of two operators who requeue and drop the same task one succeeds', async () => {
  const both = await Promise.allSettled([
    admin.api.tasks.requeueTask({ params: { id: 't3' } }),
    admin.api.tasks.deleteTask({ params: { id: 't3' } }),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

testOnBoth('each filter of the list of tasks uses an index', async () => {
  const columns = { attempts: '1', due_at: secondsIn2026, created_at: secondsIn2026 }
  await fill(t, 'task', 6_000, { ...columns, id: "'d' || n.n", kind: "'often'", status: "'done'" })
  await fill(t, 'task', 300, { ...columns, id: "'r' || n.n", kind: "'rare'", status: "'dead'" })
  const times = { createdSince: '2026-01-01T00:10:00Z' }
  const filters = [
    ...[{}, { kind: 'rare' }, { kind: 'often' }, { status: 'dead' }, { status: 'done' }, { status: 'pending' }, times],
    ...[{ kind: 'often', status: 'dead' }, { kind: 'rare', status: 'dead' }, { kind: 'none' }, { order: 'asc' }],
  ] as const
  for (const filter of filters)
    expect(
      await planFaults(t, { tables: ['task'], maxRows: 2_500 }, () =>
        admin.api.tasks.listTasks({ query: { limit: 20, ...filter } }),
      ),
      JSON.stringify(filter),
    ).toEqual([])
})
