/** The statistics of each day: numbers from events, each counted once, and numbers that nodes add. */
import { afterAll, beforeAll, expect } from 'vitest'
import { runReader } from '../../../src/core/events/readers.ts'
import { insertEvents, type NewEvent } from '../../../src/core/events/store.ts'
import { periodsOf } from '../../../src/statistics/rules.ts'
import { signedInAs } from '../../support/administrators.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { backUp, createBackupDirectory, restore } from '../../support/backup.ts'
import { slow } from '../../support/binary.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { createMigratedDatabase } from '../../support/database.ts'
import { sealAll } from '../../support/events.ts'
import { fill, planFaults } from '../../support/plans.ts'
import { codeFor, redeem, register } from '../oidc/flow.ts'
import { userOf } from '../organizations/people.ts'

let t: TestApp
let admin: Client
const people: string[] = []
beforeAll(async () => {
  t = await testApp()
  // The tests decide when numbers are counted and written.
  await t.app.jobs.stop()
  t.clock.hold()
  admin = await signedInAs(t, 'admin')
  for (const name of ['ann', 'bob', 'cleo', 'dan']) people.push((await userOf(await t.signedIn(`${name}@example.com`))).id)
  // Only numbers of these tests, because those of the sign-ups are counted as well.
  await t.app.core.db.knex('event').delete()
})
afterAll(() => t.stop())

const read = async (node: TestApp = t, stop = new AbortController().signal) => {
  for (const reader of node.app.registered.flatMap(({ readers = [] }) => readers)) await runReader(node.app.core, reader, stop)
}

let count = 0
const eventAt = (occurredAt: Date, type: string, subjectId: string, data: object): NewEvent => ({
  ...{ id: `event${String(count++).padStart(6, '0')}`, type, occurredAt, actorKind: 'user', actorId: subjectId },
  ...{ sessionId: null, impersonatorId: null, subjectType: 'user', subjectId, organizationId: null, address: '' },
  ...{ userAgent: '', requestId: '', reason: null, data: JSON.stringify(data) },
})
const signIn = (at: Date, userId: string, method = 'password', provider?: string) =>
  eventAt(at, 'session.started', userId, { sessionId: 's', amr: ['pwd'], acr: '', device: '', method, provider })
const record = async (...events: readonly NewEvent[]) => {
  await t.app.core.transact(async (tx) => insertEvents(tx, events))
  await sealAll(t)
}

interface Stored {
  readonly day: string
  readonly measure: string
  readonly key: string
  readonly amount: number
}
/** The UTC days of half hours. */
const stored = async (measure: string, of = t): Promise<Readonly<Record<string, number>>> => {
  const rows: Stored[] = await of.app.core.db.knex('statistic').where({ measure }).orderBy(['day', 'key'])
  const sums: Record<string, number> = {}
  for (const { day, key, amount } of rows) {
    const name = `${day.slice(0, 10)} ${key}`.trim()
    sums[name] = (sums[name] ?? 0) + Number(amount)
  }
  return sums
}
const statistics = (query: { readonly from?: string; readonly to?: string; readonly zone?: string } = {}) =>
  admin.api.statistics.statistics({ query })

/** Numbers that look random and are the same in each run. */
const numbers = () => {
  let state = 20_261_123
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

testOnBoth('statistics match the events after crashes and concurrent runs', async () => {
  const node = await t.node()
  await node.app.jobs.stop()
  const next = numbers()
  const all: NewEvent[] = []
  const begin = Date.UTC(2026, 7, 20)
  for (let round = 0; round < 8; round++) {
    const some = Array.from({ length: 60 }, () => {
      const at = new Date(begin + next(60 * 86_400) * 1000)
      const who = people[next(people.length)] ?? ''
      const kind = next(10)
      if (kind === 0) return eventAt(at, 'user.created', who, { role: 'user', isVerified: false })
      if (kind === 1) return eventAt(at, 'mail.given_up', 'mail', { kind: 'reset', attempts: 3 })
      if (kind === 2) return eventAt(at, 'user.updated', who, { fields: [] })
      const method = ['password', 'passkey', 'federated'][next(3)]
      return signIn(at, who, method, method === 'federated' ? ['acme', 'github'][next(2)] : undefined)
    })
    all.push(...some)
    await record(...some)
    // First two nodes at once; then a crash between counting and the end of the reader's run; then a run that is stopped.
    await Promise.all([read(), read(node)])
    if (round % 3 === 0) await t.app.core.db.knex('event_reader').update({ position: 0, lease: null, leased_until: null })
    if (round % 3 === 1) await read(node, AbortSignal.abort())
    await read(node)
  }
  const expected = { sign_ins: {}, provider_sign_ins: {}, sign_ups: {}, mails: {} } as Record<string, Record<string, number>>
  const met = new Set<string>()
  for (const { type, occurredAt, subjectId, data } of all) {
    const day = occurredAt.toISOString().slice(0, 10)
    const add = (measure: string, key: string) => {
      const numbers = expected[measure] ?? {}
      numbers[key] = (numbers[key] ?? 0) + 1
    }
    if (type === 'session.started') {
      const { method, provider } = JSON.parse(data)
      add('sign_ins', `${day} ${method}`)
      if (provider !== undefined) add('provider_sign_ins', `${day} ${provider}`)
    }
    if (type === 'user.created') add('sign_ups', day)
    if (type === 'mail.given_up') add('mails', `${day} failed`)
    if (type === 'session.started')
      for (const { kind, firstDay } of Object.values(periodsOf(day))) met.add(`people_by_${kind} ${firstDay} ${subjectId}`)
  }
  for (const [measure, numbers] of Object.entries(expected)) expect(await stored(measure), measure).toEqual(numbers)
  for (const measure of ['people_by_day', 'people_by_week', 'people_by_month']) {
    const days = [...met].flatMap((entry) => (entry.startsWith(`${measure} `) ? [entry.split(' ')[1] ?? ''] : []))
    const perDay = Object.fromEntries(
      Object.entries(Object.groupBy(days, (day) => day)).map(([day, some]) => [day, some?.length]),
    )
    expect(await stored(measure), measure).toEqual(perDay)
  }
  await node.stop()
})

testOnBoth(
  'a day of the statistics begins at midnight UTC, and the moment before midnight belongs to the previous day',
  async () => {
    await record(
      signIn(new Date('2026-01-31T23:59:59.999Z'), people[0] ?? '', 'mail-code'),
      signIn(new Date('2026-02-01T00:00:00.000Z'), people[0] ?? '', 'mail-code'),
    )
    await read()
    const { series, activePeople, days } = await statistics({ from: '2026-01-31', to: '2026-02-01' })
    expect(days).toEqual(['2026-01-31', '2026-02-01'])
    expect(series).toEqual([{ measure: 'signIns', key: 'mail-code', values: [1, 1], total: 2 }])
    // One week from Monday on, and two months.
    expect(activePeople).toEqual({
      byDay: [
        { from: '2026-01-31', to: '2026-01-31', people: 1 },
        { from: '2026-02-01', to: '2026-02-01', people: 1 },
      ],
      byWeek: [{ from: '2026-01-26', to: '2026-02-01', people: 1 }],
      byMonth: [
        { from: '2026-01-01', to: '2026-01-31', people: 1 },
        { from: '2026-02-01', to: '2026-02-28', people: 1 },
      ],
    })
  },
)

testOnBoth(
  'statistics are shown by days in the requested time zone, even across clock changes, and old numbers keep their days',
  async () => {
    const from = '2025-10-25'
    const zoned = (...times: readonly string[]) => times.map((at) => signIn(new Date(at), people[0] ?? '', 'zoned'))
    await record(
      // Berlin is two hours ahead of UTC until the 26th at 01:00 UTC, and one hour after that. This day has 25 hours.
      ...zoned(
        '2025-10-24T18:29:59Z',
        '2025-10-24T18:30:00Z',
        '2025-10-24T21:59:00Z',
        '2025-10-24T22:00:00Z',
        '2025-10-25T21:59:00Z',
        '2025-10-25T22:00:00Z',
        '2025-10-26T22:59:00Z',
      ),
      ...zoned('2025-10-26T23:00:00Z', '2025-10-27T22:59:00Z', '2025-10-27T23:00:00Z'),
    )
    await read()
    const valuesIn = async (zone: string, to = '2025-10-27') => {
      const answer = await statistics({ from, to, zone })
      expect(answer.zone).toBe(zone)
      return [answer.series.find(({ key }) => key === 'zoned')?.values, answer.utcUntil]
    }
    expect(await valuesIn('Europe/Berlin')).toEqual([[2, 2, 2], null])
    expect(await valuesIn('UTC')).toEqual([[2, 2, 2], null])
    expect(await valuesIn('Asia/Kolkata')).toEqual([[3, 2, 2], null])
    expect(await valuesIn('America/St_Johns')).toEqual([[2, 2, 2], null])
    // Counted for whole days by an earlier version: these numbers keep their days, and the answer says so.
    await t.app.core.db.knex('statistic').insert({ day: '2025-10-25', measure: 'sign_ins', key: 'zoned', amount: 10 })
    expect(await valuesIn('Europe/Berlin')).toEqual([[12, 2, 2], '2025-10-25'])
    expect(await valuesIn('UTC')).toEqual([[12, 2, 2], null])
    expect((await statistics({ from, to: from })).countedSince <= from).toBe(true)
  },
)

testOnBoth('statistics without an event are kept in memory by the node, and written when the node stops', async () => {
  const shop = await register(t)
  const browser = await t.signedIn('erin@example.com')
  await redeem(t, shop, await codeFor(browser, shop))
  await t.client().post('/sign-in/email', { email: 'erin@example.com', password: 'not her password' })
  await t.client().post('/sign-in/email', { email: 'nobody@example.com', password })
  await t.client().post('/request-password-reset', { email: 'erin@example.com' })
  await t.app.tally.flush()
  // Another node sends the mails and then stops.
  const node = await t.node()
  await node.mails()
  await node.stop()
  const day = new Date().toISOString().slice(0, 10)
  expect(await stored('failed_sign_ins')).toEqual({ [`${day} wrong-password`]: 1, [`${day} unknown-address`]: 1 })
  expect(await stored('application_people')).toEqual({ [`${day} ${shop.clientId}`]: 1 })
  expect((await stored('mails'))[`${day} sent`]).toBe(1)
  // Everybody seen today, including the administrator. The sign-ins are counted from events and count nobody twice.
  await sealAll(t)
  await read()
  expect((await stored('people_by_day'))[day]).toBe(people.length + 2)
})

test('a deleted person no longer counts as active, and past numbers stay', async () => {
  const { knex } = t.app.core.db
  const before = await stored('people_by_day')
  const erin = await knex('user').where({ email: 'erin@example.com' }).first('id')
  expect((await knex('activity').where({ user_id: erin.id })).length).toBeGreaterThan(0)
  await knex('user').where({ id: erin.id }).delete()
  expect(await knex('activity').where({ user_id: erin.id })).toEqual([])
  expect(await stored('people_by_day')).toEqual(before)
})

test('past periods of the statistics contain no person, and numbers are deleted after statistics.keepDays', async () => {
  const { knex } = t.app.core.db
  await knex('statistic').insert({ day: '2020-01-01', measure: 'sign_ups', key: '', amount: 1 })
  const retentions = t.app.registered.flatMap(({ retentions = [] }) => retentions)
  for (const { name, sweep } of retentions) if (name === 'activity' || name === 'statistics') await sweep()
  const today = new Date().toISOString().slice(0, 10)
  const { day, week, month } = periodsOf(today)
  const kept: string[] = await knex('activity').distinct('period').pluck('period')
  expect(kept.filter((period) => ![day.name, week.name, month.name].includes(period))).toEqual([])
  expect(await knex('statistic').where('day', '<', '2024-01-01')).toEqual([])
  expect((await stored('sign_ins'))['2026-01-31 mail-code']).toBe(1)
})

testOnBoth('statistics after a restore are the numbers of the backup, and no event is counted again', slow, async () => {
  const directory = createBackupDirectory()
  const target = await createMigratedDatabase()
  try {
    const signIns = await stored('sign_ins')
    await backUp(t.database, directory.file('numbers.jsonl.gz'))
    expect((await restore(target, directory.file('numbers.jsonl.gz'))).exitCode).toBe(0)
    const restored = await testApp({ database: target, config: { url: t.url } })
    await restored.app.jobs.stop()
    await sealAll(restored)
    await read(restored)
    expect(await stored('sign_ins', restored)).toEqual(signIns)
    await restored.app.database.destroy()
  } finally {
    await target.drop()
    directory.remove()
  }
})

test('reading statistics requires the permission to see the state of the instance, and days in the wrong order are refused', async () => {
  const ann = await t.signedIn('frank@example.com')
  expect((await ann.request('/admin/statistics')).status).toBe(403)
  for (const query of [
    '?from=2026-02-01&to=2026-01-01',
    '?from=2020-01-01&to=2026-01-01',
    '?from=2026-02-31',
    '?zone=Nowhere/AtAll',
    // Years beyond which years have more or fewer than four digits.
    '?from=0000-01-01&to=0000-01-02',
    '?to=0000-01-02',
    '?from=9998-12-30&to=9999-12-30',
    '?from=9999-12-01&to=9999-12-31&zone=Pacific/Kiritimati',
  ])
    expect((await admin.request(`/admin/statistics${query}`)).status, query).toBe(400)
  const { days } = await statistics()
  expect(days).toHaveLength(30)
  expect(days.at(-1)).toBe(new Date().toISOString().slice(0, 10))
})

test('the statistics list the twelve keys with the highest totals, for delays with the highest values, and sum up the others', async () => {
  const row = (day: string, measure: string, key: string, amount: number) => ({ day: `2026-04-0${day}`, measure, key, amount })
  const keys = Array.from({ length: 14 }, (_, index) => `key${String(index).padStart(2, '0')}`)
  await t.app.core.db.knex('statistic').insert([
    ...keys.map((key) => row('1', 'application_people', key, 10)),
    // Among equal totals the first are named. The last key has the highest total because of its second day.
    row('2', 'application_people', 'key13', 5),
    row('2', 'application_people', '*', 100),
    ...keys.map((key, index) => row('1', 'queue_lag', key, 20 + index)),
    row('2', 'queue_lag', 'key00', 90),
    row('2', 'queue_lag', 'key02', 15),
    row('2', 'queue_lag', '*', 7),
  ])
  const { series } = await statistics({ from: '2026-04-01', to: '2026-04-02' })
  const of = (wanted: string) => series.filter(({ measure }) => measure === wanted)
  const people = of('applicationPeople')
  expect(people.map(({ key }) => key)).toEqual(['key13', ...keys.slice(0, 11), '*'])
  expect(people[0]).toMatchObject({ values: [10, 5], total: 15 })
  expect(people.at(-1)).toMatchObject({ values: [20, 100], total: 120 })
  const lags = of('queueLag')
  expect(lags.map(({ key }) => key)).toEqual(['key00', ...keys.slice(3).toReversed(), '*'])
  expect(lags[0]).toMatchObject({ values: [20, 90], total: 90 })
  expect(lags.at(-1)).toMatchObject({ values: [22, 15], total: 22 })
})

testOnBoth('the statistics of a range are read by the index of their days', async () => {
  const day = (n: string) =>
    `cast(2030 + ${n} / 300 as varchar(4)) || '-' || substr(cast(100 + (${n} / 25) % 12 + 1 as varchar(3)), 2) || '-01'`
  await fill(t, 'statistic', 6_000, { day: day('n.n'), measure: "'filled'", '"key"': 'cast(n.n as varchar(10))', amount: '1' })
  await fill(t, 'statistic', 6_000, {
    day: `cast(2030 + n.n / 300 as varchar(4)) || '-' || substr(cast(100 + (n.n / 25) % 12 + 1 as varchar(3)), 2) || '-01T05:30'`,
    ...{ measure: "'halves'", '"key"': 'cast(n.n as varchar(10))', amount: '1' },
  })
  const plan = { tables: ['statistic'], maxRows: 400, sorts: true }
  const range = { from: '2030-01-01', to: '2030-02-01' }
  for (const zone of ['UTC', 'America/New_York'])
    expect(await planFaults(t, plan, () => statistics({ ...range, zone })), zone).toEqual([])
})
