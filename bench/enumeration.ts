/**
 * `node bench/enumeration.ts [sqlite|postgres]`: how long the server takes to answer for addresses it knows and for addresses it does
 * not. Figures, no verdict: the two columns of a call should not be told apart by a stranger who measures.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../test/support/postgres.ts'
import { type Browser, createBrowser } from './load/browser.ts'
import { password, startGatehouse } from './targets/targets.ts'

/** Each address is asked about this often: fewer than the wrong passwords after which attempts have to wait. */
const rounds = 8
const addresses = 60

const people = (kind: string) => Array.from({ length: addresses }, (_, i) => `${kind}${i}@enumeration.example`)

interface Question {
  readonly name: string
  readonly ask: (browser: Browser, email: string) => Promise<unknown>
}

const questions: readonly Question[] = [
  {
    name: 'sign-in, wrong password',
    ask: (browser, email) => browser.postJson('/sign-in/email', { email, password: 'not the password' }),
  },
  { name: 'request-password-reset', ask: (browser, email) => browser.postJson('/request-password-reset', { email }) },
  { name: 'send-verification-email', ask: (browser, email) => browser.postJson('/send-verification-email', { email }) },
]

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const deviation = (values: readonly number[]) => Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)))

/** In units of their standard errors, how far two means are apart: below 2 is what chance alone gives 19 times of 20. */
const apart = (a: readonly number[], b: readonly number[]) =>
  (mean(a) - mean(b)) / Math.sqrt(deviation(a) ** 2 / a.length + deviation(b) ** 2 / b.length)

const row = (name: string, values: readonly number[]) => {
  const sorted = [...values].sort((a, b) => a - b)
  const cells = [at(sorted, 0.05), at(sorted, 0.25), at(sorted, 0.5), at(sorted, 0.75), at(sorted, 0.95), mean(values)]
  return `  ${name.padEnd(9)}${cells.map((ms) => ms.toFixed(2).padStart(9)).join('')}`
}

/** Known and unknown turn by turn, so that whatever else the machine does meets both. */
const measure = async ({ ask }: Question, origin: string) => {
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
  const browser = createBrowser(origin)
  const [known, unknown] = [people('known'), people('unknown')]
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < addresses; i += 1) {
      const order = (i + round) % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
      for (const kind of order) {
        browser.cookies.clear()
        const started = performance.now()
        await ask(browser, (kind === 'known' ? known : unknown)[i] ?? '')
        times[kind].push(performance.now() - started)
      }
    }
  }
  browser.close()
  return times
}

const usesPostgres = process.argv[2] === 'postgres'
const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-enumeration-'))
const postgres = usesPostgres ? await startPostgres() : undefined
const gatehouse = await startGatehouse({
  databaseUrl: postgres?.url ?? `sqlite:${join(dataDir, 'gatehouse.db')}`,
  dataDir,
  verbose: false,
})
try {
  const browser = createBrowser(gatehouse.origin)
  for (const email of people('known')) {
    browser.cookies.clear()
    const answer = await browser.postJson('/sign-up/email', { name: 'Known', email, password })
    if (answer.status !== 200) throw new Error(`sign-up answered ${answer.status}`)
  }
  browser.close()
  process.stdout.write(`${usesPostgres ? 'PostgreSQL' : 'SQLite'}, ${rounds * addresses} answers each, milliseconds\n`)
  for (const question of questions) {
    const { known, unknown } = await measure(question, gatehouse.origin)
    const head = ['5%', '25%', 'median', '75%', '95%', 'mean'].map((name) => name.padStart(9)).join('')
    process.stdout.write(`\n${question.name}\n  ${''.padEnd(9)}${head}\n${row('known', known)}\n${row('unknown', unknown)}\n`)
    process.stdout.write(`  means apart by ${apart(known, unknown).toFixed(1)} standard errors\n`)
  }
} finally {
  await gatehouse.stop()
  await postgres?.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
