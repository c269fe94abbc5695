/** A mail server that does not work at all, and one whose answers are unfit to be shown. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { type Script, type ScriptedSmtp, startScriptedSmtp } from '../../support/smtp.ts'

const content = {
  ...{ subject: 'A subject', heading: 'Hello Ann', paragraphs: ['A paragraph.'] },
  ...{ action: { label: 'Go on', url: 'https://auth.example.com/go' }, footnote: 'A footnote.' },
}

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const start = async (script: Script, mail: Record<string, unknown> = {}) => {
  const smtp = await startScriptedSmtp(script)
  const lines: string[] = []
  const config = { smtpUrl: smtp.url.replace('//', '//user:secret@'), mail: { retrySeconds: 5, ...mail } }
  const t = await testApp({ config, onLog: (line) => lines.push(line) })
  stops.push(() => t.stop(), smtp.stop)
  return { smtp, t, lines }
}

const enqueue = (t: TestApp, count: number) =>
  t.app.core.transact(async (tx) => {
    for (let i = 0; i < count; i += 1)
      await t.app.mail.enqueue(tx, { to: { name: '', address: `person${i}@away.example` }, kind: 'test', content })
  })

const said = ({ commands }: ScriptedSmtp, verb: string) => commands.filter((line) => line.startsWith(verb)).length
const soon = { timeout: 60_000, interval: 20 }
/** Gives the queue time for what must not happen. The queue looks for work ten times, which it otherwise does in ten seconds. */
const lookForWork = async (t: TestApp) => {
  for (let look = 0; look < 10; look += 1) {
    await t.wake('queue.mail.send')
    await pause(20)
  }
}

const offersLogin = '250-mail.example\r\n250 AUTH PLAIN'

test.each<[string, Script]>([
  ['refuses the password', { ehlo: offersLogin, auth: '535 5.7.8 Password expired' }],
  ['refuses everybody', { greeting: '421 4.7.0 Too many connections' }],
  ['goes away at once', { greeting: 'close' }],
  ['goes away after each greeting', { ehlo: 'close' }],
])('while the mail server %s, one mail at a time is tried and the other mails keep all their attempts', async (_, script) => {
  const { smtp, t } = await start({ ehlo: offersLogin })
  smtp.script = script
  await enqueue(t, 40)
  const attempts = async () => (await t.app.mail.list(undefined, 200)).reduce((sum, row) => sum + row.attempts, 0)
  await vi.waitFor(async () => expect(await attempts()).toBeGreaterThan(0), soon)
  await lookForWork(t)
  expect(await attempts()).toBeLessThanOrEqual(4)
  t.clock.advance({ seconds: 6 })
  await lookForWork(t)
  expect(await attempts()).toBeLessThanOrEqual(5)
  smtp.script = { ehlo: offersLogin }
  t.clock.advance({ minutes: 5 })
  await t.wake('queue.mail.send')
  await vi.waitFor(async () => expect(await t.app.mail.list('sent', 200)).toHaveLength(40), soon)
  expect(said(smtp, 'DATA')).toBe(40)
})

test('a mail refused by its recipient delays no other mail', async () => {
  const { smtp, t } = await start({ rcpt: '450 4.2.1 Mailbox busy' }, { retrySeconds: 3600 })
  await enqueue(t, 20)
  await vi.waitFor(() => expect(said(smtp, 'RCPT')).toBe(20), soon)
})

test('the answer of a mail server is shown on one line without control characters, in at most 500 characters', async () => {
  const hostile = '451-4.3.0 \u001b[31mred\u001b]0;title\u0007\r\n451-27 checks passed\r\n451 '
  const { smtp, t, lines } = await start({ rcpt: `${hostile}${'x'.repeat(100_000)}` }, { retrySeconds: 3600 })
  await enqueue(t, 1)
  const shown = await vi.waitFor(async () => {
    const [row] = await t.app.mail.list(undefined, 1)
    if (row?.lastError == null) throw new Error('no answer yet')
    return row.lastError
  }, soon)
  const test = await t.app.mail.sendTest('ann@example.com')
  expect(test.accepted).toBe(false)
  smtp.script = { end: `250 \u001b[31m${'x'.repeat(100_000)}` }
  const accepted = await t.app.mail.sendTest('ann@example.com')
  expect(accepted.accepted).toBe(true)
  for (const words of [shown, test.answer, accepted.answer]) {
    expect(words).not.toMatch(/\p{Cc}/u)
    expect(words.length).toBeLessThanOrEqual(500)
  }
  expect(shown).toContain('27 checks passed')
  for (const line of lines) expect(line.length).toBeLessThan(5_000)
})

test('a mail server that does not answer, or answers byte by byte, is reported with the setting that ended the wait', async () => {
  const { smtp, t } = await start({ greeting: '220-slow' }, { timeoutSeconds: 1 })
  expect(smtp.commands).toEqual([])
  expect(await t.app.mail.sendTest('ann@example.com')).toEqual({
    accepted: false,
    answer: 'the mail server gave no complete answer within 1 s (mail.timeoutSeconds)',
  })
})
