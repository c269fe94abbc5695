/** The commands that messages print as remedies: each works as it is printed. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { createRemedies, type Remedies } from '../../src/core/remedies.ts'
import { environmentOf, runCommand, type Served, serveHere, slow } from '../support/binary.ts'
import type { TestDatabase } from '../support/database.ts'
import { scratchDirectory } from '../support/scratch.ts'

let scratch: string
let env: Record<string, string>
let remedies: Remedies
let place: readonly string[]
let daemon: Served
let keyId: string
const password = 'a long and uncommon one\n'

/** Splits a command line into words as a shell passes them to `gatehouse`, for each command of a list joined by &&. */
const wordsOf = (line: string): readonly (readonly string[])[] => {
  const script = `gatehouse() { printf '%s\\0' "$@"; printf '\\n'; }; ${line}`
  const lines = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n')
  return lines.map((words) => words.split('\0').slice(0, -1))
}
const gatehouse = (words: readonly string[], input?: string) => runCommand([...words], env, input)
const done = async (words: readonly string[], input?: string) => {
  const { exitCode, stdout, stderr } = await gatehouse([...words, ...place], input)
  expect(exitCode, `${words.join(' ')}: ${stderr}`).toBe(0)
  return stdout
}

beforeAll(async () => {
  scratch = scratchDirectory('gatehouse-remedies-')
  // A data directory with blanks in its name that only the options name, as for restores and second instances.
  const dataDir = join(scratch, 'a second place')
  const usual = environmentOf({ url: '', pooler: '', dataDir: '' } as unknown as TestDatabase)
  env = Object.fromEntries(Object.entries(usual).filter(([name]) => !/_(DATA_DIR|DATABASE_URL|DATABASE_POOLER)$/.test(name)))
  env['XDG_CONFIG_HOME'] = join(scratch, 'home')
  place = ['--data-dir', dataDir]
  remedies = createRemedies(place)
  daemon = await serveHere(env, place)
  await done(['create-user', '--email', 'ann@example.com', '--name', 'Ann', '--verified', '--password-stdin'], password)
  await done(['create-org', '--name', 'Acme', '--slug', 'acme', '--owner', 'ann@example.com'])
  const client = ['--name', 'Shop', '--redirect-uri', 'https://shop.example/cb', '--client-id', 'shop', '--secret-stdin']
  const key = await done(['create-api-key', '--name', 'Export', '--permission', 'users:read', '--json'])
  keyId = (JSON.parse(key) as { id: string }).id
  await done(['register-client', ...client], 'w7Qm2zk1vXw0bT9nY5sR8uL3cD4eF6gH0jKpZ\n')
}, 120_000)
afterAll(async () => {
  await daemon?.stop()
  rmSync(scratch, { recursive: true, force: true })
})

interface Sample {
  readonly line: (all: Remedies) => string
  /** What the command would ask for at a prompt. The test gives it by standard input. */
  readonly asks?: 'password' | 'api-key'
}

/** Every builder of remedies, with values that need quotes where the builder takes any. */
const samples: Readonly<Record<Exclude<keyof Remedies, 'serve'>, Sample>> = {
  addWebhookEndpoint: { line: (all) => all.addWebhookEndpoint('polar') },
  backup: { line: (all) => all.backup('--to', place[1] ?? '', '--without-keys') },
  checkConfig: { line: (all) => all.checkConfig() },
  createRecoveryLink: { line: (all) => all.createRecoveryLink('ann@example.com', '--second-factor') },
  createSetupLink: { line: (all) => all.createSetupLink() },
  createUser: { line: (all) => all.createUser("o'hara+shop@example.com"), asks: 'password' },
  doctor: { line: (all) => all.doctor() },
  enableClient: { line: (all) => all.enableClient('shop') },
  endSessions: { line: (all) => all.endSessions('ann@example.com') },
  explainSignIn: { line: (all) => all.explainSignIn('2001:db8::7') },
  getClient: { line: (all) => all.getClient('shop') },
  getOrg: { line: (all) => all.getOrg('acme') },
  getUser: { line: (all) => all.getUser('ann@example.com') },
  login: { line: (all) => all.login(`http://127.0.0.1:${daemon.port}`), asks: 'api-key' },
  listClients: { line: (all) => all.listClients() },
  listDeadTasks: { line: (all) => all.listDeadTasks('mail.send') },
  listFactors: { line: (all) => all.listFactors('ann@example.com') },
  listFailedMails: { line: (all) => all.listFailedMails() },
  listInvitations: { line: (all) => all.listInvitations() },
  listLogoutNotices: { line: (all) => all.listLogoutNotices('shop') },
  listOverdueUsers: { line: (all) => all.listOverdueUsers() },
  listQuarantinedDeliveries: { line: (all) => all.listQuarantinedDeliveries() },
  listSettings: { line: (all) => all.listSettings() },
  listUsersWithRole: { line: (all) => [all.listUsersWithRole('admin'), all.listUsersWithRole('support')].join(' && ') },
  migrate: { line: (all) => all.migrate() },
  reencrypt: { line: (all) => all.reencrypt() },
  requireFactor: { line: (all) => all.requireFactor('ann@example.com') },
  rotateClientSecret: { line: (all) => all.rotateClientSecret('shop') },
  rotateApiKey: { line: (all) => all.rotateApiKey(keyId, '--overlap-hours', '0') },
  rotateWebhookSecret: { line: (all) => all.rotateWebhookSecret('polar') },
  rotateJwks: { line: (all) => all.rotateJwks() },
  settingsHistory: { line: (all) => all.settingsHistory() },
  setPassword: { line: (all) => all.setPassword('ann@example.com'), asks: 'password' },
  unbanUser: { line: (all) => all.unbanUser('ann@example.com') },
  updateClient: { line: (all) => all.updateClient('shop', '--pkce', 'required') },
  verifyAudit: { line: (all) => all.verifyAudit() },
}

describe('commands printed as a remedy', () => {
  test.each(Object.entries(samples))(
    'the printed command of the remedy %s works exactly as printed',
    slow,
    async (_, { line, asks }) => {
      for (const words of wordsOf(line(remedies))) {
        const { exitCode, stderr } = await gatehouse(
          asks === undefined ? words : [...words, `--${asks}-stdin`],
          asks === undefined ? undefined : password,
        )
        expect(exitCode, `${words.join(' ')}: ${stderr}`).toBe(0)
      }
    },
  )

  test('the printed serve command starts an instance with the data directory of its options', slow, async () => {
    const [[serve, ...options] = []] = wordsOf(remedies.serve())
    expect(serve).toBe('serve')
    const second = await serveHere(env, options)
    await second.stop()
  })

  test('the printed create-user command has a valid name even without a name or with an invalid name', () => {
    const name = (email: string) => wordsOf(remedies.createUser(email))[0]?.[4]
    expect([name('ann@example.com'), name('\u200b@example.com'), name('')]).toEqual(['ann', 'New user', 'New user'])
  })
})

test(
  'remedies of doctor, of explain-sign-in and of a refused command name the instance that the command used',
  slow,
  async () => {
    const all = Object.values(samples).flatMap(({ line }) => line(remedies))
    const results = JSON.parse(await done(['doctor', '--json'])) as { readonly remedy: string | null }[]
    const printed = results.flatMap(({ remedy }) => (remedy?.includes('gatehouse ') === true ? [remedy] : []))
    expect(printed.length).toBeGreaterThan(0)
    for (const remedy of printed)
      expect(
        all.filter((line) => remedy.startsWith(line)),
        remedy,
      ).not.toEqual([])
    const email = "o'hara@nowhere.example"
    const explained = JSON.parse(await done(['explain-sign-in', '--email', email, '--json']))
    expect(explained).toMatchObject({ verdict: { obstacles: [{ remedy: remedies.createUser(email) }] } })
    const elsewhere = ['--data-dir', join(scratch, 'not here')]
    const { exitCode, stderr } = await gatehouse(['list-users', ...elsewhere, '--json'])
    expect(exitCode).toBe(3)
    const { message } = JSON.parse(stderr) as { readonly message: string }
    const [words = []] = wordsOf(message.slice(message.lastIndexOf('gatehouse ')))
    expect(words).toEqual(['migrate', ...elsewhere])
    expect((await gatehouse(words)).exitCode).toBe(0)
  },
)

test(
  'simulate-event without an endpoint uses the only endpoint, and without any prints how to create an endpoint',
  slow,
  async () => {
    const port = ['--port', String(daemon.port)]
    await gatehouse(wordsOf(remedies.addWebhookEndpoint('polar'))[0] ?? [])
    const simulates = (...event: readonly string[]) =>
      // A daemon on SQLite follows a command after up to two seconds.
      expect
        .poll(async () => (await gatehouse(['simulate-event', ...event, ...place, ...port])).exitCode, { timeout: 20_000 })
        .toBe(0)
    await simulates('subscription.active', '--product', 'prod_pro')
    await done(['add-webhook-endpoint', '--name', 'shop'])
    await done(['remove-webhook-endpoint', 'polar', '--yes'])
    await simulates('order.paid')
    await done(['remove-webhook-endpoint', 'shop', '--yes'])
    const refused = await gatehouse(['simulate-event', 'order.paid', ...place, '--json'])
    expect(refused.exitCode).toBe(3)
    const { message } = JSON.parse(refused.stderr) as { readonly message: string }
    const [make = []] = wordsOf(message.slice(message.indexOf('gatehouse ')))
    expect((await gatehouse(make)).exitCode).toBe(0)
    expect((await gatehouse(['simulate-event', 'order.paid', ...place, '--print'])).exitCode).toBe(0)
  },
)

test('printed commands come from one table, and no other message contains a command', () => {
  const root = join(import.meta.dirname, '../../src')
  const names = createProgram().commands.map((command) => command.name())
  const spelled = new RegExp(`\\bgatehouse (${names.join('|')})\\b`)
  // Files that describe commands, and the files of init and restore, whose tests run the printed commands.
  const describing =
    /(documentation|contract|config|help|mails|format)\.ts$|\/contract\/|\/completion\/|\/init\/|core\/remedies\.ts$|backup\/configuration\.ts$/
  const isComment = (line: string) => /^\s*(\/\/|\*|\/\*)/.test(line)
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !describing.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, at) => (spelled.test(line) && !isComment(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
    )
  expect(found).toEqual([])
})
