/**
 * `node bench/enumeration.ts [sqlite|postgres] [rounds]` compares the answers for three kinds of addresses, and the time that they take:
 * addresses with an account, with an account that has a second factor, and without an account. It prints figures and gives no verdict. A
 * stranger should not be able to distinguish the columns of a call by measuring.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import { createAuthenticator } from '../test/support/authenticator.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { type Browser, createBrowser } from './load/browser.ts'
import type { Answer } from './load/connection.ts'
import { password, startGatehouse } from './targets/targets.ts'

/** Number of requests about each address. */
const rounds = Number(process.argv[3] ?? 8)
const addresses = 40

const kinds = ['known', 'second', 'unknown'] as const
type Kind = (typeof kinds)[number]
const titles: Readonly<Record<Kind, string>> = { known: 'known', second: 'second factor', unknown: 'unknown' }
const addressOf = (kind: Kind, i: number) => `${kind}${i}@enumeration.example`

/** The person whom a request is about. `number` is different for every request. */
interface Person {
  readonly kind: Kind
  readonly email: string
  readonly number: number
}
interface Question {
  readonly name: string
  /** Runs before the measured time begins. */
  readonly prepare?: (browser: Browser, person: Person) => Promise<unknown>
  readonly ask: (browser: Browser, person: Person, prepared: unknown) => Promise<Answer>
}

/** An authenticator for assertions with known and unknown passkey ids. Somebody who has stolen the ids could send such assertions. */
const authenticator = createAuthenticator()
let stolenIds: readonly string[] = []

/** An assertion with a passkey id that the server knows or does not know. It is signed with a key that belongs to neither. */
const signed = async (browser: Browser, { kind, number }: Person) => {
  const { body } = await browser.get('/passkey/generate-authenticate-options')
  const assertion = authenticator.get(JSON.parse(body), { origin: browser.origin })
  const stolen = stolenIds[number % stolenIds.length] ?? ''
  const id = kind === 'second' ? stolen : Buffer.from(`of nobody ${number}`).toString('base64url')
  return { ...assertion, id, rawId: id }
}

const questions: readonly Question[] = [
  {
    name: 'sign-in, wrong password',
    ask: (browser, { email }) => browser.postJson('/sign-in/email', { email, password: 'not the password' }),
  },
  { name: 'request-password-reset', ask: (browser, { email }) => browser.postJson('/request-password-reset', { email }) },
  { name: 'send-verification-email', ask: (browser, { email }) => browser.postJson('/send-verification-email', { email }) },
  { name: 'sign-in by mail: link', ask: (browser, { email }) => browser.postJson('/sign-in/magic-link', { email }) },
  {
    name: 'sign-in by mail: code',
    ask: (browser, { email }) => browser.postJson('/email-otp/send-verification-otp', { email, type: 'sign-in' }),
  },
  {
    name: 'sign-in by mail: wrong code',
    prepare: (browser, { email }) => browser.postJson('/email-otp/send-verification-otp', { email, type: 'sign-in' }),
    ask: (browser, { email }) => browser.postJson('/sign-in/email-otp', { email, otp: '000000' }),
  },
  { name: 'passkey: options (no address)', ask: (browser) => browser.get('/passkey/generate-authenticate-options') },
  {
    name: 'passkey: wrong signature',
    prepare: signed,
    ask: (browser, _, response) => browser.postJson('/passkey/verify-authentication', { response }),
  },
  { name: 'two-factor/send-otp (no sign-in)', ask: (browser) => browser.postJson('/two-factor/send-otp', {}) },
  {
    name: 'sign-up',
    ask: (browser, { kind, email, number }) => {
      const fresh = kind === 'unknown' ? `${number}-${email}` : email
      return browser.postJson('/sign-up/email', { name: 'Anybody', email: fresh, password })
    },
  },
]

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const deviation = (values: readonly number[]) => Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)))
const median = (values: readonly number[]) =>
  at(
    values.toSorted((a, b) => a - b),
    0.5,
  )

/** The difference of two means in units of its standard error. In 19 of 20 cases, chance alone gives a value below 2. */
const apart = (a: readonly number[], b: readonly number[]) =>
  (mean(a) - mean(b)) / Math.sqrt(deviation(a) ** 2 / a.length + deviation(b) ** 2 / b.length)

/** Status, headers and body of an answer, without the parts that differ in every answer. */
const shapeOf = ({ status, head, body }: Answer): Readonly<Record<'status' | 'headers' | 'body', string>> => {
  const lines = head
    .split('\r\n')
    .filter((line) => !/^(date|x-request-id|etag):/i.test(line))
    .map((line) => line.replace(/^(set-cookie: [^=]+=)[^;]*/i, '$1…'))
  const masked = body
    .replace(/[\w.-]+@[\w.-]+/g, '<address>')
    .replace(/"(id|token|challenge|requestId|createdAt|updatedAt)":"[^"]*"/g, '"$1":"…"')
  return { status: String(status), headers: lines.sort().join('\n'), body: masked }
}
type Shape = ReturnType<typeof shapeOf>

/** The parts of the answers that differ between the kinds of addresses. */
const differences = (shapes: Readonly<Record<Kind, readonly Shape[]>>): readonly string[] =>
  (['status', 'headers', 'body'] as const).flatMap((part) => {
    const found = kinds.map((kind) => [...new Set(shapes[kind].map((shape) => shape[part]))].sort().join(' | '))
    return new Set(found).size === 1 ? [] : part === 'status' ? `status (${found.join(', ')})` : part
  })

/** Sends requests about the three kinds in turn, so that other work on the machine affects them all. */
const measure = async ({ prepare, ask }: Question, origin: string) => {
  const times: Record<Kind, number[]> = { known: [], second: [], unknown: [] }
  const shapes: Record<Kind, Shape[]> = { known: [], second: [], unknown: [] }
  const browser = createBrowser(origin)
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < addresses; i += 1) {
      for (let turn = 0; turn < kinds.length; turn += 1) {
        const kind = kinds[(i + round + turn) % kinds.length] ?? 'known'
        const person = { kind, email: addressOf(kind, i), number: round * addresses + i }
        browser.cookies.clear()
        const prepared = await prepare?.(browser, person)
        const started = performance.now()
        const answer = await ask(browser, person, prepared)
        times[kind].push(performance.now() - started)
        shapes[kind].push(shapeOf(answer))
      }
    }
  }
  browser.close()
  return { times, shapes }
}

/** Makes the people. Half of them have an authenticator app and a passkey. */
const fill = async (origin: string) => {
  const browser = createBrowser(origin)
  const must = async (answer: Promise<Answer>, what: string) => {
    const { status, body } = await answer
    if (status !== 200) throw new Error(`${what} answered ${status}: ${body}`)
    return JSON.parse(body)
  }
  for (const kind of ['known', 'second'] as const) {
    for (let i = 0; i < addresses; i += 1) {
      browser.cookies.clear()
      await must(browser.postJson('/sign-up/email', { name: 'Known', email: addressOf(kind, i), password }), 'sign-up')
      if (kind === 'known') continue
      const options = await must(browser.get('/passkey/generate-register-options'), 'options')
      await must(
        browser.postJson('/passkey/verify-registration', { response: authenticator.create(options, { origin }) }),
        'passkey',
      )
      const { totpURI } = await must(browser.postJson('/two-factor/enable', { password }), 'enable')
      const code = generateSync({ secret: new URL(totpURI).searchParams.get('secret') ?? '' })
      await must(browser.postJson('/two-factor/verify-totp', { code }), 'code')
    }
  }
  stolenIds = authenticator.credentials.map(({ id }) => id)
  // All later signatures are made with a passkey that no account has.
  authenticator.credentials.splice(0)
  authenticator.create({ challenge: 'none', rp: { id: new URL(origin).hostname }, user: { id: 'nobody' } }, { origin })
  browser.close()
}

const usesPostgres = process.argv[2] === 'postgres'
const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-enumeration-'))
const postgres = usesPostgres ? await startPostgres() : undefined
const gatehouse = await startGatehouse({
  databaseUrl: postgres?.url ?? `sqlite:${join(dataDir, 'gatehouse.db')}`,
  dataDir,
  verbose: false,
  // The benchmark makes many requests about the same addresses, so the limit on guessing must not delay them.
  env: { GATEHOUSE_MAIL_SIGN_IN_ENABLED: 'true', GATEHOUSE_ACCOUNTS_GUESSING_FREE_ATTEMPTS: '1000' },
})
try {
  await fill(gatehouse.origin)
  const columns = [...kinds.map((kind) => titles[kind].padStart(14)), 'known/unknown'.padStart(14), 'second/unknown'.padStart(15)]
  process.stdout.write(`${usesPostgres ? 'PostgreSQL' : 'SQLite'}, ${rounds * addresses} answers each: medians in milliseconds, `)
  process.stdout.write('means apart in standard errors\n')
  process.stdout.write(`${''.padEnd(34)}${columns.join('')}  told apart by\n`)
  for (const question of questions) {
    const { times, shapes } = await measure(question, gatehouse.origin)
    const medians = kinds.map((kind) => median(times[kind]).toFixed(2).padStart(14)).join('')
    const known = apart(times.known, times.unknown).toFixed(1).padStart(14)
    const second = apart(times.second, times.unknown).toFixed(1).padStart(15)
    const told = differences(shapes)
    process.stdout.write(
      `${question.name.padEnd(34)}${medians}${known}${second}  ${told.length === 0 ? 'nothing' : told.join(', ')}\n`,
    )
  }
} finally {
  await gatehouse.stop()
  await postgres?.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
