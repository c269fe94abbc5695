import { afterEach, beforeEach, expect, vi } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import type { Requester } from '../../../src/mail/index.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { type Smtp, startSmtp } from '../../support/smtp.ts'

const content = {
  subject: 'A subject',
  heading: 'Hello Ann',
  paragraphs: ['A paragraph.'],
  action: { label: 'Go on', url: 'https://auth.example.com/go?token=geheimes-token' },
  footnote: 'A footnote.',
}
const ann = { name: 'Ann Example', address: 'ann@example.com' }

let smtp: Smtp
const apps: TestApp[] = []
beforeEach(async () => {
  smtp = await startSmtp()
})
afterEach(async () => {
  for (const app of apps.splice(0).reverse()) await app.stop()
  await smtp.stop()
})

const start = async (mail: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => {
  const app = await testApp({
    config: { smtpUrl: smtp.url, mailFrom: 'Acme <no-reply@acme.example>', mail, oidc: { rsaModulusLength: 2048 }, ...more },
  })
  apps.push(app)
  return app
}
const enqueue = ({ app }: TestApp, to = ann, kind = 'test', requester?: Requester) =>
  app.core.transact((tx) => app.mail.enqueue(tx, { to, kind, content, ...(requester === undefined ? {} : { requester }) }))
const rows = ({ app }: TestApp) => app.mail.list(undefined, 100)
const settled = (app: TestApp, state: string) =>
  vi.waitFor(async () => expect((await rows(app)).map((row) => row.state)).toEqual([state]), { timeout: 60_000, interval: 20 })

/** The same with failed attempts before: the clock moves to the next attempt once for each. */
const settledAgain = (app: TestApp, state: string) => {
  let moved = 0
  return vi.waitFor(
    async () => {
      if (smtp.attempts() > moved) {
        moved = smtp.attempts()
        app.clock.advance({ seconds: 5 })
      }
      await app.wake('queue.mail.send')
      expect((await rows(app)).map((row) => row.state)).toEqual([state])
    },
    { timeout: 60_000, interval: 20 },
  )
}

test('a mail is sent at once from the configured sender as text and HTML', async () => {
  const app = await start()
  await enqueue(app)
  await vi.waitFor(() => expect(smtp.received).toHaveLength(1), { timeout: 60_000, interval: 10 })
  const [mail] = smtp.received
  expect(mail).toMatchObject({ from: 'no-reply@acme.example', to: ['ann@example.com'] })
  const [row] = await rows(app)
  for (const header of [
    'From: Acme <no-reply@acme.example>',
    'To: Ann Example <ann@example.com>',
    'Subject: A subject',
    'Auto-Submitted: auto-generated',
  ])
    expect(mail?.raw).toContain(`${header}\r\n`)
  expect(mail?.raw).toContain(`Message-ID: <${row?.id}@acme.example>`)
  expect(mail?.raw).toMatch(/Content-Type: multipart\/alternative[\s\S]*Content-Type: text\/plain[\s\S]*Content-Type: text\/html/)
})

test('the link of a mail is sealed while the mail waits, and deleted once the mail is sent', async () => {
  const app = await start({ retrySeconds: 3600 })
  smtp.refuse(1, 451)
  await enqueue(app)
  await vi.waitFor(() => expect(smtp.attempts()).toBe(1), 60_000)
  const stored = () => app.app.core.db.knex('task').where({ kind: 'mail.send' })
  const waiting = await stored()
  expect(JSON.stringify(waiting)).not.toContain('geheim')
  expect(waiting).toMatchObject([{ payload: expect.stringMatching(/^01[0-9a-f]+$/) }])
  app.clock.advance({ hours: 2 })
  await app.wake('queue.mail.send')
  await settled(app, 'sent')
  expect(await rows(app)).toMatchObject([{ attempts: 2, lastError: null }])
  expect(await stored()).toMatchObject([{ payload: null }])
})

test('no mail is sent when the transaction is rolled back', async () => {
  const app = await start()
  const { core, mail } = app.app
  const failing = core.transact(async (tx) => {
    await mail.enqueue(tx, { to: ann, kind: 'test', content })
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await enqueue(app, { name: 'Bob', address: 'bob@example.com' })
  await settled(app, 'sent')
  expect(smtp.received.map(({ to }) => to)).toEqual([['bob@example.com']])
})

testOnBoth('two nodes send each of forty mails once', async () => {
  const first = await start()
  apps.push(await first.node())
  const addresses = Array.from({ length: 40 }, (_, i) => `person${i}@example.com`)
  await Promise.all(addresses.map((address, i) => enqueue(i % 2 === 0 ? first : (apps[1] ?? first), { name: 'Person', address })))
  await vi.waitFor(async () => expect((await rows(first)).every((row) => row.state === 'sent')).toBe(true), {
    timeout: 60_000,
    interval: 50,
  })
  expect(smtp.received.flatMap(({ to }) => to).sort()).toEqual(addresses.sort())
  expect((await rows(first)).map((row) => row.attempts)).toEqual(Array(40).fill(1))
})

testOnBoth('a mail enqueued at one node is sent by another node after the first has stopped', async () => {
  const app = await start()
  await app.app.jobs.stop()
  await enqueue(app)
  apps.push(await app.node())
  await settled(app, 'sent')
  expect(smtp.received).toHaveLength(1)
})

testOnBoth('a mail claimed by a node that died is sent by another node once the lease has expired', async () => {
  const app = await start()
  await app.app.jobs.stop()
  await enqueue(app)
  // The state left by a node that is killed between claim and delivery.
  await app.app.core.db
    .knex('task')
    .where({ kind: 'mail.send' })
    .update({
      ...{ status: 'running', attempts: 1, lease_token: 'of a node that is gone' },
      due_at: new Date(Date.now() + 180_000),
    })
  const other = await app.node()
  apps.push(other)
  await enqueue(other, { name: 'Bob', address: 'bob@example.com' })
  await vi.waitFor(() => expect(smtp.received).toHaveLength(1), 60_000)
  expect(smtp.received[0]?.to).toEqual(['bob@example.com'])
  app.clock.advance({ minutes: 4 })
  await other.wake('queue.mail.send')
  await vi.waitFor(() => expect(smtp.received).toHaveLength(2), { timeout: 60_000, interval: 50 })
  expect(smtp.received[1]?.to).toEqual(['ann@example.com'])
})

test('a refused mail is sent again with the same Message-ID', async () => {
  const app = await start({ retrySeconds: 1 })
  smtp.refuse(2, 451)
  await enqueue(app)
  await settledAgain(app, 'sent')
  const [row] = await rows(app)
  expect([smtp.attempts(), smtp.received.length, row?.attempts]).toEqual([3, 1, 3])
  expect(smtp.received[0]?.raw).toContain(`Message-ID: <${row?.id}@acme.example>`)
})

test('a mail is kept as failed with the reason after the last attempt, and can be requeued', async () => {
  const app = await start({ retrySeconds: 1, maxAttempts: 2 })
  smtp.refuse(2, 451)
  await enqueue(app)
  await settledAgain(app, 'failed')
  const [dead] = await app.app.mail.list('failed', 10)
  expect(dead).toMatchObject({ attempts: 2, lastError: expect.stringContaining('451'), toAddress: 'ann@example.com' })
  await expect(app.app.mail.requeue(systemPrincipal('test'), 'nothing')).rejects.toMatchObject({ code: 'MAIL_NOT_FOUND' })
  await app.app.mail.requeue(systemPrincipal('test'), dead?.id ?? '')
  await settled(app, 'sent')
  expect(smtp.received).toHaveLength(1)
})

test('mails are delayed, not lost, while the mail server cannot be reached', async () => {
  const { port } = new URL(smtp.url)
  const app = await start({ retrySeconds: 1 })
  await smtp.stop()
  await enqueue(app)
  await vi.waitFor(async () => expect((await rows(app))[0]?.lastError).toContain('ECONNREFUSED'), 60_000)
  smtp = await startSmtp(Number(port))
  app.clock.advance({ seconds: 10 })
  await app.wake('queue.mail.send')
  await settled(app, 'sent')
  expect(smtp.received).toHaveLength(1)
})

test('a mail server that stalls is given up after the time-out', async () => {
  const app = await start({ timeoutSeconds: 1, retrySeconds: 3600 })
  smtp.delay(25_000)
  await enqueue(app)
  await vi.waitFor(async () => expect((await rows(app))[0]?.lastError).not.toBeNull(), { timeout: 60_000, interval: 20 })
})

testOnBoth(
  'requested mails have a limit for each requester and one for all, and each kind of mail and the notices have their own limits',
  async () => {
    const app = await start({ noticesPerHour: 20, requestsPerHour: 5, requestsPerAskerAndHour: 2 }, { limits: { enabled: 'on' } })
    const ask = async (kind: string, ...requesters: readonly (Requester | undefined)[]) =>
      (await Promise.all(requesters.map((requester) => enqueue(app, ann, kind, requester)))).filter((isIn) => isIn).length
    const from = (key: string, more: Partial<Requester> = {}): Requester => ({ key, isKnown: false, ...more })
    expect(await ask('reset', from('a'), from('a'), from('a'), from('a'))).toBe(2)
    expect(await ask('reset', from('b'), from('c'), from('d'), from('e'), from('f'))).toBe(3)
    expect(await ask('invitation', from('a'), from('b'))).toBe(2)
    const known = from('k', { isKnown: true })
    expect(await ask('reset', known, known, known)).toBe(2)
    expect(await ask('reset', from('g'), from('a', { isDue: true }))).toBe(1)
    expect(await ask('notice', ...Array.from({ length: 25 }, () => undefined))).toBe(20)
    expect(await ask('other notice', undefined)).toBe(1)
    app.clock.advance({ minutes: 61 })
    expect(await ask('reset', from('a'))).toBe(1)
  },
)

testOnBoth('sent mails are deleted after a week, and failed mails after a month', async () => {
  const app = await start({ maxAttempts: 1 })
  smtp.refuse(1, 550)
  await enqueue(app)
  await settled(app, 'failed')
  await enqueue(app, { name: 'Bob', address: 'bob@example.com' })
  await vi.waitFor(() => expect(smtp.received).toHaveLength(1), 60_000)
  await vi.waitFor(async () => expect((await rows(app)).map((row) => row.state).sort()).toEqual(['failed', 'sent']), 60_000)
  app.clock.advance({ days: 8 })
  const swept = await app.node()
  apps.push(swept)
  await settled(app, 'failed')
  app.clock.advance({ days: 23 })
  apps.push(await app.node())
  await vi.waitFor(
    async () => {
      // The sweep before may have ended after the clock was moved.
      app.clock.advance({ hours: 1 })
      expect(await rows(app)).toEqual([])
    },
    { timeout: 60_000, interval: 100 },
  )
})

test('a mail to a remote server waits instead of being sent unencrypted, unless the configuration allows it', async () => {
  // The address reaches this machine without a loopback name, like a remote mail server.
  const { port } = new URL(smtp.url)
  const elsewhere = `smtp://0.0.0.0:${port}`
  for (const smtpUrl of [elsewhere, `${elsewhere}/?ignoreTLS=true`, `${elsewhere}/?requireTLS=false`]) {
    const app = await start({ retrySeconds: 3600 }, { smtpUrl })
    await enqueue(app)
    const waiting = { state: 'pending', attempts: 1, lastError: expect.stringMatching(/TLS/) }
    await vi.waitFor(async () => expect((await rows(app))[0]).toMatchObject(waiting), 60_000)
  }
  expect(smtp.attempts()).toBe(0)
  const allowed = await start({}, { smtpUrl: elsewhere, smtpAllowPlaintext: true })
  await enqueue(allowed)
  await settled(allowed, 'sent')
})
