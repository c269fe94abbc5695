import { afterAll, beforeAll, expect, vi } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import type { Client } from '../../support/client.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'
import { type Smtp, startSmtp } from '../../support/smtp.ts'

const content = {
  subject: 'A subject',
  heading: 'Hello Ann',
  paragraphs: ['A paragraph.'],
  action: { label: 'Go on', url: 'https://auth.example.com/go?token=geheimes-token' },
  footnote: 'A footnote.',
}

let smtp: Smtp
let t: TestApp
let support: Client
beforeAll(async () => {
  smtp = await startSmtp()
  t = await testApp({ config: { smtpUrl: smtp.url, mailFrom: 'no-reply@acme.example', mail: { maxAttempts: 1 } } })
  support = await t.signedIn('sue@example.com')
  await t.app.core.transact((tx) => tx.knex('user').where({ email: 'sue@example.com' }).update({ role: 'support' }))
})
afterAll(async () => {
  await t.stop()
  await smtp.stop()
})

const enqueue = (address: string, kind: string) =>
  t.app.core.transact((tx) => t.app.mail.enqueue(tx, { to: { name: 'Ann', address }, kind, content }))
const list = (query: NonNullable<Parameters<typeof support.api.mails.listMails>[0]>['query'] = {}) =>
  support.api.mails.listMails({ query: { kind: 'greeting', ...query } })
const settled = (count: number) =>
  vi.waitFor(async () => expect((await list()).mails.filter(({ state }) => state !== 'pending')).toHaveLength(count), {
    timeout: 60_000,
    interval: 20,
  })

test('mails are listed newest first with their state, filtered by state, kind, email address and time, without their text', async () => {
  smtp.refuse(1, 550)
  await enqueue('first@example.com', 'greeting')
  await settled(1)
  t.clock.advance({ minutes: 1 })
  const since = t.app.core.clock.now().toISOString()
  await enqueue('second@example.com', 'greeting')
  await settled(2)
  await enqueue('second@example.com', 'farewell')

  const all = await list()
  expect(all.mails.map(({ address, state }) => ({ address, state }))).toEqual([
    { address: 'second@example.com', state: 'sent' },
    { address: 'first@example.com', state: 'failed' },
  ])
  expect(all.mails[1]).toMatchObject({
    kind: 'greeting',
    attempts: 1,
    nextAttemptAt: null,
    lastError: expect.stringMatching('550'),
  })
  const addresses = async (query: Parameters<typeof list>[0]) => (await list(query)).mails.map(({ address }) => address)
  expect(await addresses({ state: 'failed' })).toEqual(['first@example.com'])
  expect(await addresses({ address: 'SECOND@example.com' })).toEqual(['second@example.com'])
  expect(await addresses({ address: 'second@example' })).toEqual([])
  expect(await addresses({ kind: 'farewell' })).toEqual(['second@example.com'])
  expect(await addresses({ kind: 'fare' })).toEqual([])
  expect(await addresses({ createdSince: since })).toEqual(['second@example.com'])
  expect(await addresses({ createdUntil: since })).toEqual(['first@example.com'])
  expect(await addresses({ order: 'asc' })).toEqual(['first@example.com', 'second@example.com'])

  const one = await list({ limit: 1 })
  expect(one.mails).toHaveLength(1)
  expect((await list({ limit: 1, after: one.next ?? '' })).mails).toEqual(all.mails.slice(1))
  expect((await support.request('/admin/mails')).text).not.toMatch(/geheim|A paragraph|A subject/)
})

test('a failed mail is sent again on request and the request is recorded, and a mail that has not failed is not found', async () => {
  const [failed] = (await list({ state: 'failed' })).mails
  const [sent] = (await list({ state: 'sent' })).mails
  const retried = await support.api.mails.retryMail({ params: { id: failed?.id ?? '' } })
  expect(retried).toMatchObject({ id: failed?.id, state: 'pending', attempts: 0 })
  const isReceived = () => expect(smtp.received.flatMap(({ to }) => to)).toContain('first@example.com')
  await vi.waitFor(isReceived, { timeout: 60_000, interval: 20 })
  const [event] = await t.app.audit.list({ type: 'mail.retried' }, 1)
  expect(event).toMatchObject({ subjectId: failed?.id, actorKind: 'user', data: {} })
  for (const id of [sent?.id ?? '', 'unknown'])
    await expect(support.api.mails.retryMail({ params: { id } })).rejects.toMatchObject({ status: 404, code: 'MAIL_NOT_FOUND' })
})

test('a task that is not a mail is not found among the mails', async () => {
  const row = { id: 'dead-task', kind: 'other', status: 'dead', attempts: 1, payload: '{}', label: 'greeting ann@example.com' }
  const now = t.app.core.clock.now()
  await t.app.core.db.knex('task').insert({ ...row, due_at: now, created_at: now, expires_at: t.app.core.clock.after(3_600) })
  expect((await list({ address: 'ann@example.com' })).mails).toEqual([])
  await expect(support.api.mails.retryMail({ params: { id: 'dead-task' } })).rejects.toMatchObject({ code: 'MAIL_NOT_FOUND' })
})

testOnBoth('each filter of the list of mails uses an index', async () => {
  await t.app.jobs.stop()
  const columns = {
    ...{ kind: "'mail.send'", attempts: '1', due_at: secondsIn2026, created_at: secondsIn2026 },
    details: `'{"to":"a@example.com","kind":"notice","requester":null}'`,
  }
  const label = (address: string) => `'notice ' || ${address}`
  await fill(t, 'task', 6_000, { ...columns, id: "'s' || n.n", status: "'done'", label: label("n.n || '@example.com'") })
  await fill(t, 'task', 300, { ...columns, id: "'d' || n.n", status: "'dead'", label: label("'often@example.com'") })
  const address = 'often@example.com'
  const times = { createdSince: '2026-01-01T00:10:00Z', createdUntil: '2026-01-01T00:20:00Z' }
  const filters = [
    ...[{}, { state: 'failed' }, { state: 'sent' }, { state: 'pending' }, { kind: 'greeting' }, { kind: 'notice' }, times],
    ...[{ address }, { address, state: 'failed' }, { address, kind: 'notice' }, { state: 'failed', ...times }, { order: 'asc' }],
  ] as const
  for (const filter of filters)
    expect(
      await planFaults(t, { tables: ['task'], maxRows: 2_500 }, () =>
        support.api.mails.listMails({ query: { limit: 20, ...filter } }),
      ),
      JSON.stringify(filter),
    ).toEqual([])
})

test('every kind of mail is previewed in every language for its reader, also with another brand', async () => {
  const { templates } = await support.api.mails.listMailTemplates()
  const kinds = templates.map(({ kind }) => kind)
  expect(kinds).toEqual(expect.arrayContaining(['verification', 'reset-password', 'new-device', 'invitation', 'test']))
  expect(new Set(kinds).size).toBe(kinds.length)
  for (const kind of kinds)
    for (const language of ['en', 'uk'] as const) {
      const { subject, text, html } = await support.api.mails.previewMail({ params: { kind }, query: { language } })
      expect(subject, kind).not.toBe('')
      expect(`${subject} ${text} ${html}`, kind).not.toMatch(/\{\w+\}|undefined/)
    }
  const params = { kind: 'verification' }
  const english = await support.api.mails.previewMail({ params })
  const german = await support.api.mails.previewMail({ params, query: { language: 'de' } })
  expect(german.subject).not.toBe(english.subject)
  expect(english.text).toContain('Ann Example')
  const tried = await support.api.mails.previewMail({ params, query: { name: 'Northwind', color: '7a1f4d' } })
  expect(tried.html).toContain('Northwind')
  expect(tried.html).toContain('#7a1f4d')
  expect((await support.api.mails.previewMail({ params })).html).not.toContain('Northwind')
  await expect(support.api.mails.previewMail({ params: { kind: 'nothing' } })).rejects.toMatchObject({
    ...{ status: 404, code: 'MAIL_TEMPLATE_NOT_FOUND' },
  })
})

test("a test mail is sent directly to the caller or the given email address, and the mail server's answer is returned and recorded", async () => {
  const test = (address?: string) => support.api.mails.sendTestMail({ body: address === undefined ? {} : { address } })
  expect(await test()).toMatchObject({ address: 'sue@example.com', isAccepted: true })
  expect(await test('Ops@Example.com')).toMatchObject({ address: 'ops@example.com', isAccepted: true })
  smtp.refuse(1, 550)
  expect(await test()).toMatchObject({ isAccepted: false, answer: expect.stringContaining('550') })
  expect((await list({ kind: 'test' })).mails).toEqual([])
  const recorded: { data: string }[] = await t.app.core.db.knex('event').where({ type: 'mail.test_sent' }).select('data')
  expect(recorded.map(({ data }) => JSON.parse(data).isAccepted).toSorted()).toEqual([false, true, true])
  await expect(test('nobody')).rejects.toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
})
