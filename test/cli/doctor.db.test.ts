import { Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { main } from '../../src/main.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../support/billing.ts'
import { type Environment, environmentOf, inherited, runCommand, serveHere, slow } from '../support/binary.ts'
import { createDatabaseWithKeys, createMigratedDatabase, type TestDatabase } from '../support/database.ts'
import { type Smtp, startSmtp } from '../support/smtp.ts'

let database: TestDatabase
let smtp: Smtp
beforeAll(async () => {
  database = await createDatabaseWithKeys()
  smtp = await startSmtp()
})
afterAll(async () => {
  await smtp.stop()
  await database.drop()
})

const doctor = (mailTo: string, env: Environment = {}) =>
  runCommand(['doctor', '--mail-to', mailTo, '--json'], { ...environmentOf(database), ...env })

test(
  'doctor names what is missing, and after everything is set up only subscriptions without a received renewal',
  slow,
  async () => {
    const unused = await createMigratedDatabase()
    const before = await doctor('ops@example.com', environmentOf(unused))
    await unused.drop()
    expect([before.exitCode, before.stderr]).toEqual([3, expect.stringContaining('signingKeys')])
    const daemon = await serveHere({ ...environmentOf(database), GATEHOUSE_WEBHOOK_SECRET: webhookSecret })
    const lapsed = { subscriptionId: 'sub_lapsed', customerId: 'cus_lapsed', at: new Date('2026-01-01T00:00:00.000Z') }
    const told = await post(daemon.url, signedDelivery(webhookSecret, eventOf('subscription.active', lapsed)))
    expect(told.status).toBe(202)
    await daemon.stop()
    const after = await doctor('ops@example.com')
    expect([after.exitCode, after.stdout]).toEqual([0, expect.stringContaining('no SMTP server is configured')])
    const message = expect.stringMatching(/never heard for 1 customers: sub_lapsed of cus_lapsed/)
    expect(after.json()).toContainEqual({ check: 'renewals', severity: 'warning', message, remedy: expect.any(String) })
    const unwise = await doctor('ops@example.com', { GATEHOUSE_TRUSTED_ORIGINS: '*' })
    expect(unwise.exitCode).toBe(0)
    expect(unwise.json()).toContainEqual({
      check: 'configuration',
      severity: 'warning',
      message: expect.stringContaining('trustedOrigins'),
      remedy: expect.any(String),
    })
  },
)

test(
  'doctor shows findings first and in full, then the number of passed checks, and the names of all checks with --all',
  slow,
  async () => {
    const env = { ...environmentOf(database), GATEHOUSE_TRUSTED_ORIGINS: '*' }
    const { exitCode, stdout } = await runCommand(['doctor'], env)
    const lines = stdout.trim().split('\n')
    expect(lines[0]).toMatch(/^Configuration: no file; /)
    expect([exitCode, lines.at(-1)]).toEqual([0, expect.stringMatching(/^\d\d checks passed$/)])
    // Both the message and the remedy are complete. The terminal of a test has no width, and a person's terminal does not cut them either.
    const at = lines.indexOf(
      'warning: configuration: trustedOrigins contains *: any page may act with the session of its visitors',
    )
    expect(lines[at + 1]).toBe('    change it, see docs/reference/config.md')
    expect(lines.filter((line) => /^(ok|passed)/.test(line))).toEqual([])
    const all = (await runCommand(['doctor', '--all'], env)).stdout.trim().split('\n')
    const count = Number.parseInt(lines.at(-1) ?? '', 10)
    expect(all.slice(0, -count)).toEqual([...lines.slice(0, -1), `${lines.at(-1)}:`])
    expect(all.slice(-count)).toEqual(expect.arrayContaining(['    database', '    migrations']))
    const narrow = createTerminal(80)
    expect(await main(['doctor'], { ...narrow.terminal, env: { ...inherited(), ...env } })).toBe(0)
    expect(narrow.said()).toBe(stdout)
  },
)

/** A terminal with this many columns, and everything written to it. */
const createTerminal = (columns: number) => {
  const written: string[] = []
  const stream = () =>
    Object.assign(
      new Writable({
        write: (chunk, _encoding, done) => {
          written.push(String(chunk))
          done()
        },
      }),
      {
        isTTY: true,
        columns,
      },
    )
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() })
  return { terminal: { stdin: Readable.from([]), stdout: stream(), stderr }, said: () => written.join('') }
}

test('doctor --mail-to sends a mail and shows the response of the mail server', slow, async () => {
  const sent = await doctor('ops@example.com', { GATEHOUSE_SMTP_URL: smtp.url })
  expect([sent.exitCode, sent.stdout]).toEqual([0, expect.stringContaining('250')])
  expect(smtp.received[0]?.to).toEqual(['ops@example.com'])
  const shown = await runCommand(['doctor', '--mail-to', 'ops@example.com'], {
    ...environmentOf(database),
    GATEHOUSE_SMTP_URL: smtp.url,
  })
  expect(shown.stdout).toMatch(/^ok: mail-server: 250/m)
  smtp.refuse(1, 554)
  const refused = await doctor('ops@example.com', { GATEHOUSE_SMTP_URL: smtp.url })
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('554 not now')])
  const nobody = await doctor('ops@example.com', { GATEHOUSE_SMTP_URL: 'smtp://127.0.0.1:1' })
  expect([nobody.exitCode, nobody.stderr]).toEqual([3, expect.stringContaining('ECONNREFUSED')])
  expect((await doctor('not an address')).exitCode).toBe(2)
})
