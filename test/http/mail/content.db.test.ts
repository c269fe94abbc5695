import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { type Smtp, startSmtp } from '../../support/smtp.ts'

const contentFrom = (text: string) => ({
  subject: text,
  heading: text,
  paragraphs: [text],
  action: { label: text, url: `https://auth.example.com/go?a=1&b="${encodeURIComponent(text)}"` },
  footnote: text,
})

let smtp: Smtp
let overSmtp: TestApp
let toFiles: TestApp
const logged: string[] = []
beforeAll(async () => {
  smtp = await startSmtp()
  const oidc = { rsaModulusLength: 2048 }
  overSmtp = await testApp({ config: { smtpUrl: smtp.url, oidc } })
  toFiles = await testApp({
    config: { accounts: { requireEmailVerification: true }, oidc },
    onLog: (line) => void logged.push(line),
  })
})
afterAll(async () => {
  await overSmtp.stop()
  await toFiles.stop()
  await smtp.stop()
})

const send = async (to: { name: string; address: string }, text: string) => {
  const before = smtp.received.length
  await overSmtp.app.core.transact((tx) => overSmtp.app.mail.enqueue(tx, { to, kind: 'test', content: contentFrom(text) }))
  await vi.waitFor(() => expect(smtp.received.length).toBe(before + 1), 60_000)
  const received = smtp.received[before]
  if (received === undefined) throw new Error('no mail')
  const [head = '', ...rest] = received.raw.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  const plain = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return { ...received, head, html: plain.slice(plain.indexOf('<!doctype')), text: plain.slice(0, plain.indexOf('<!doctype')) }
}

test.each([
  'Eve\r\nBcc: victim@example.com',
  'Eve\nBcc: victim@example.com\n\nAnother body',
  'Eve\u2028Bcc: victim@example.com',
  'Eve\u0000\u001b[31m',
  'victim@example.com, Eve',
  '"Eve" <victim@example.com>',
])('a user-chosen name or subject adds no header and no recipient to a mail: %j', async (name) => {
  const { to, head } = await send({ name, address: 'eve@example.com' }, name)
  expect(to).toEqual(['eve@example.com'])
  const headers = head.split(/\r\n(?![ \t])/)
  expect(headers.filter((line) => /^(bcc|cc|reply-to):/i.test(line))).toEqual([])
  expect(headers.filter((line) => /^to:/i.test(line))).toHaveLength(1)
  expect(headers.map((line) => line.split(':')[0]).sort()).toEqual(
    [
      'Auto-Submitted',
      'Content-Type',
      'Date',
      'From',
      'MIME-Version',
      'Message-ID',
      'Subject',
      'To',
      'X-Auto-Response-Suppress',
    ].sort(),
  )
})

test('names that users chose are escaped in the HTML part of a mail', async () => {
  const { html, text } = await send(
    { name: 'Eve', address: 'eve@example.com' },
    `<img src=x onerror="alert('1')"> & </p><script>`,
  )
  expect(html).not.toMatch(/<img|<script|onerror="/)
  expect(html).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; &lt;/p&gt;&lt;script&gt;')
  expect(html.match(/<a /g)).toHaveLength(2)
  expect(html).not.toMatch(/href="[^"]*"[a-z]/)
  expect(text).toContain('<img src=x')
})

test('a link that is not a web address is never sent', async () => {
  const content = { ...contentFrom('x'), action: { label: 'Go', url: 'javascript:alert(1)' } }
  const { core, mail } = overSmtp.app
  await core.transact((tx) => mail.enqueue(tx, { to: { name: 'Eve', address: 'script@example.com' }, kind: 'test', content }))
  await vi.waitFor(async () => {
    const row = (await mail.list('pending', 10)).find(({ toAddress }) => toAddress === 'script@example.com')
    expect(row?.lastError).toContain('web address')
  }, 60_000)
  expect(smtp.received.flatMap(({ to }) => to)).not.toContain('script@example.com')
})

test('a mail without SMTP is written to an .eml file that only its owner can read, and its link is logged', async () => {
  const client = toFiles.client()
  await client.api.accounts.signUpEmail({
    body: { email: 'new@example.com', name: 'Nёw <b>', password: 'correct horse battery' },
  })
  const mail = await toFiles.mailTo('new@example.com')
  expect(mail.raw).toMatch(/^From: gatehouse <no-reply@localhost>$/m)
  expect(mail.raw).toContain('text/plain')
  expect(mail.raw).toContain('text/html')
  expect(mail.raw).not.toContain('<b>,')
  expect(mail.link).toContain(`${toFiles.url}/verify-email?token=`)
  const outbox = join(toFiles.database.dataDir, 'outbox')
  const files = readdirSync(outbox)
  expect(files).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d-]+Z-verification-[A-Za-z0-9]{8}\.eml$/)])
  expect(statSync(join(outbox, files[0] ?? '')).mode & 0o777).toBe(0o600)
  expect(statSync(outbox).mode & 0o777).toBe(0o700)
  expect(readFileSync(join(outbox, files[0] ?? ''), 'utf8')).not.toContain('\r\n')
  const line = logged.map((text) => JSON.parse(text) as Record<string, unknown>).find(({ link }) => link !== undefined)
  expect(line).toMatchObject({ level: 'info', link: expect.stringContaining('/verify-email?token='), kind: 'verification' })
  // The link in the file works.
  const answer = await client.request(String(line?.['link']))
  expect(answer.status).toBe(302)
})

test('sent mails have the name, colour and links of the brand, and its logo only from an https address', async () => {
  const branded = await testApp({
    config: {
      brand: { name: 'Northwind', color: '#ffd400', links: { support: 'https://northwind.example/help' } },
      accounts: { requireEmailVerification: true },
      oidc: { rsaModulusLength: 2048 },
    },
  })
  try {
    const body = { email: 'brand@example.com', name: 'Ann', password: 'correct horse battery' }
    await branded.client().api.accounts.signUpEmail({ body })
    const { raw } = await branded.mailTo('brand@example.com')
    expect(raw).toMatch(/^From: Northwind </m)
    expect(raw).toContain('Help: https://northwind.example/help')
    expect(raw).toContain('Northwind sends you this mail because it concerns your account at')
    expect(raw).toContain('background:#ffd400')
    expect(raw).not.toContain('<img')
  } finally {
    await branded.stop()
  }
})
