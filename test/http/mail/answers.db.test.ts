/** The effect of each answer of a mail server (RFC 5321, 4.2.1), including servers that misbehave. */
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, test, testOnBoth } from '../../support/both-databases.ts'
import { type Script, type ScriptedSmtp, startScriptedSmtp } from '../../support/smtp.ts'

const content = {
  ...{ subject: 'A subject', heading: 'Hello Ann', paragraphs: ['A paragraph.'] },
  ...{ action: { label: 'Go on', url: 'https://auth.example.com/go' }, footnote: 'A footnote.' },
}

let smtp: ScriptedSmtp
let t: TestApp
beforeAll(async () => {
  smtp = await startScriptedSmtp()
  t = await testApp({ config: { smtpUrl: smtp.url, mail: { timeoutSeconds: 5, retrySeconds: 3600 } } })
})
afterAll(async () => {
  await t.stop()
  await smtp.stop()
})

let people = 0
/** The outbox entry of a mail after the server's answer. */
const answered = async (script: Script) => {
  people += 1
  smtp.script = script
  // The server was away, so mails wait longer each time.
  t.clock.advance({ seconds: 41 })
  const address = `person${people}@answers.example`
  await t.app.core.transact((tx) => t.app.mail.enqueue(tx, { to: { name: 'Person', address }, kind: 'test', content }))
  return vi.waitFor(
    async () => {
      const row = (await t.app.mail.list(undefined, 200)).find(({ toAddress }) => toAddress === address)
      if (row === undefined || (row.state === 'pending' && row.lastError === null)) throw new Error('no answer yet')
      return row
    },
    { timeout: 60_000, interval: 20 },
  )
}

describe('permanent refusals of the mail server', () => {
  test.each<[string, Script, string]>([
    [
      'an unknown recipient',
      { rcpt: '550 5.1.1 <x>: Recipient unknown in local table' },
      '550 5.1.1 <x>: Recipient unknown in local table',
    ],
    ['a recipient without an enhanced code', { rcpt: '550 No such user here' }, '550 No such user here'],
    ['a name with invalid syntax', { rcpt: '553 5.1.3 Bad address syntax' }, '553 5.1.3 Bad address syntax'],
    ['a domain without mail', { rcpt: '556 5.1.10 Domain has a null MX' }, '556 5.1.10 Domain has a null MX'],
    ['a host without mail', { rcpt: '521 5.3.0 does not accept mail' }, '521'],
    ['the content of the mail', { end: '554 5.6.0 Message contains a virus' }, '554 5.6.0 Message contains a virus'],
    ['the content of the mail, in several lines', { end: '550-5.2.1 The account is\r\n550 5.2.1 disabled' }, '5.2.1 disabled'],
    ['an address with a syntax error', { rcpt: '501 5.1.3 Bad recipient address syntax' }, '501 5.1.3 Bad recipient'],
    ['a mailbox that has moved', { rcpt: '551 5.1.6 User has moved' }, '551 5.1.6 User has moved'],
    ['a mailbox that is full', { end: '552 5.2.2 Mailbox full' }, '552 5.2.2 Mailbox full'],
  ])("a mail fails at once and keeps the server's answer when the server permanently refuses %s", async (_, script, words) => {
    const row = await answered(script)
    expect([row.state, row.attempts, row.nextAttemptAt]).toEqual(['failed', 1, null])
    expect(row.lastError).toContain(words)
  })
})

describe('temporary refusals of the mail server', () => {
  test.each<[string, Script, string]>([
    ['greylisting', { rcpt: '451 4.7.1 Greylisted, try again in 5 minutes' }, '451 4.7.1 Greylisted, try again in 5 minutes'],
    ['a busy mailbox', { rcpt: '450 4.2.1 Mailbox busy' }, '450 4.2.1 Mailbox busy'],
    ['too many recipients, in the words of an old server', { rcpt: '552 Too many recipients' }, '552 Too many recipients'],
    ['too little storage', { end: '452 4.3.1 Insufficient system storage' }, '452 4.3.1 Insufficient system storage'],
    ['a closing service', { mail: '421 4.3.2 Shutting down' }, '421 4.3.2 Shutting down'],
    ['a service that closes after the mail', { end: '421 4.3.2 Shutting down' }, '421 4.3.2 Shutting down'],
    [
      'a greeting that refuses every client',
      { greeting: '554 5.7.1 Your address is on a blocklist' },
      'Your address is on a blocklist',
    ],
    ['a greeting that is not SMTP', { greeting: 'HTTP/1.1 400 Bad Request' }, 'HTTP/1.1 400 Bad Request'],
    ['a refused sender', { mail: '550 5.1.8 Sender address rejected: Domain not found' }, 'Sender address rejected'],
    ['required authentication', { mail: '530 5.7.0 Authentication required' }, '530 5.7.0 Authentication required'],
    ['a denied relay', { rcpt: '554 5.7.1 Relay access denied' }, '554 5.7.1 Relay access denied'],
    ['a policy', { end: '550 5.7.26 Unauthenticated email is not accepted due to DMARC' }, 'due to DMARC'],
    ['a sender refused with the recipient', { rcpt: '550 5.1.8 Sender rejected: Domain not found' }, 'Domain not found'],
    ['a sender refused without an enhanced code', { rcpt: '550-Verification failed\r\n550 Sender verify failed' }, 'Sender'],
    ['a relay denied without an enhanced code', { rcpt: '550 relay not permitted' }, 'relay not permitted'],
    ['an unregistered sender', { end: '554 Message rejected: Email address is not verified.' }, 'is not verified'],
    [
      'an unregistered sender, in other words',
      { end: '550 The from address does not match a verified Sender Identity.' },
      'Sender Identity',
    ],
    ['a daily limit', { end: '550 5.4.5 Daily user sending limit exceeded' }, 'sending limit exceeded'],
    ['a bad command sequence', { rcpt: '503 5.5.1 Error: need MAIL command' }, '503 5.5.1'],
    ['an unknown command', { data: '500 5.5.2 Command not recognized' }, '500 5.5.2'],
    ['a code of an unknown class', { rcpt: '999 What' }, '999'],
    ['a preliminary answer in place of the final one', { end: '354 go on' }, '354'],
    ['no digits at all', { rcpt: 'maybe' }, 'maybe'],
    ['a connection that closes', { data: 'close' }, 'onnection'],
    ['a connection that closes before the last answer', { end: 'close' }, 'onnection'],
  ])("a mail is sent again later, and the outbox shows the server's answer, after %s", async (_, script, words) => {
    const row = await answered(script)
    expect([row.state, row.attempts]).toEqual(['pending', 1])
    expect(row.lastError).toContain(words)
    expect(row.nextAttemptAt).not.toBeNull()
  })
})

/** PostgreSQL stores no text with this character. */
testOnBoth('a mail is sent again later when the words of the mail server contain U+0000', async () => {
  const row = await answered({ rcpt: '451 4.0.0 a\u0000b' })
  expect([row.state, row.attempts]).toEqual(['pending', 1])
  expect(row.lastError).toContain('451 4.0.0 a')
})

test.each<[string, Script]>([
  ['250', {}],
  ['251, will forward', { rcpt: '251 2.1.5 User not local; will forward' }],
  ['252, cannot verify', { rcpt: '252 2.1.5 Cannot VRFY user, but will accept message' }],
  ['several lines', { end: '250-2.0.0 Ok\r\n250 2.0.0 queued' }],
  ['no words', { rcpt: '250', end: '250' }],
])('a mail is sent when the server answers %s', async (_, script) => {
  expect(await answered(script)).toMatchObject({ state: 'sent', attempts: 1, lastError: null })
})

test('a permanently refused mail is recorded, and an operator can read the reason and send the mail again', async () => {
  const row = await answered({ rcpt: '550 5.1.1 No such user' })
  const admin = await signedInAs(t, 'admin', 'root@answers.example')
  const listed = await admin.request(`/admin/mails?address=${row.toAddress}`)
  expect(listed.json['mails']).toMatchObject([{ state: 'failed', lastError: expect.stringContaining('550 5.1.1 No such user') }])
  expect(await t.app.core.db.knex('event').where({ type: 'mail.given_up', subject_id: row.id })).toHaveLength(1)
  smtp.script = {}
  expect((await admin.post(`/admin/mails/${row.id}/retry`)).status).toBe(200)
  await vi.waitFor(async () => expect((await t.app.mail.list('sent', 200)).map(({ id }) => id)).toContain(row.id), {
    timeout: 60_000,
    interval: 20,
  })
})

describe('the name that EHLO sends', () => {
  const named = async (config: Record<string, unknown>) => {
    const server = await startScriptedSmtp()
    const app = await testApp({ config: { smtpUrl: server.url, ...config } })
    await app.app.core.transact((tx) =>
      app.app.mail.enqueue(tx, { to: { name: '', address: 'ann@example.com' }, kind: 'test', content }),
    )
    await vi.waitFor(() => expect(server.commands.length).toBeGreaterThan(0), { timeout: 60_000, interval: 20 })
    await app.stop()
    await server.stop()
    return server.commands[0]
  }

  test('EHLO names the host of the public address in ASCII', async () => {
    expect(await named({ url: 'https://auth.exämple.de' })).toBe('EHLO auth.xn--exmple-cua.de')
  })

  test('EHLO names an IP address as an address literal', async () => {
    expect(await named({ url: 'https://192.0.2.7' })).toBe('EHLO [192.0.2.7]')
  })
})
