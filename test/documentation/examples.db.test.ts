/** Runs every example of help in `npm run test:full`, each on a copy of an instance with the people and objects that the examples name. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listedCommands } from '../../src/cli/help.ts'
import { createProgram } from '../../src/cli/program.ts'
import { codeFor } from '../http/oidc/flow.ts'
import { password, testApp } from '../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../support/billing.ts'
import { environmentOf } from '../support/binary.ts'
import { createDatabaseWithKeys, dialect, type TestDatabase } from '../support/database.ts'
import { imageOf } from '../support/images.ts'
import { openShell, type Shell } from '../support/shell.ts'

/** Commands run on SQLite only. */
const isFull = process.env['GATEHOUSE_TEST_FULL'] === '1' && dialect === 'sqlite'
const examples = listedCommands(createProgram()).flatMap(({ exampleLines }) => exampleLines)

/** Examples that do not end by themselves, or write outside of the instance. */
const notRun: Readonly<Record<string, string>> = {
  init: 'asks at a terminal: test/cli/init.db.test.ts',
  'init --url https://auth.example.com --data-dir /var/lib/gatehouse --file /etc/gatehouse.yaml': 'asks at a terminal',
  "init --yes --url https://auth.example.com --mail-from 'Acme <no-reply@acme.example>' --json":
    'needs an empty directory and a free port',
  serve: 'serves',
  'serve --config /etc/gatehouse.yaml': 'serves',
  'serve --url https://auth.example.com --host 0.0.0.0 --port 3000': 'serves',
  'restore gatehouse-20261122T033000Z-Ab3dEf.jsonl.gz': 'needs a second database: test/cli/backup.db.test.ts',
  'restore backup.jsonl.gz --passphrase-stdin --secret-to gatehouse.secret': 'needs a second database',
  'remove-factor --user ann@example.com --factor 7Q2mZk1vXw0bT9nY5sR8uL3cD4eF6gH0': 'needs a factor: test/cli/factors.db.test.ts',
  'cancel-recovery --user ann@example.com': 'needs a recovery: test/cli/factors.db.test.ts',
  "cancel-recovery --user ann@example.com --reason 'she did not ask for it, by telephone'": 'needs a recovery',
  'restore before-upgrade.jsonl.gz --without-keys --database-url postgres://gatehouse@db/gatehouse': 'needs that server',
  'simulate-event order.paid --customer-email ann@example.com --product pro':
    'posts to the daemon: test/cli/simulate-event.db.test.ts',
  'doctor --mail-to ada@example.com': 'needs a mail server: test/cli/doctor.db.test.ts',
  'config set smtpUrl --stdin < smtp-url': 'needs a mail server: test/cli/settings.db.test.ts',
  'login --remote https://id.example.com': 'asks a person at that instance: test/cli/remote.db.test.ts',
  'login --remote https://id.example.com --api-key-stdin < key.txt': 'calls that instance: test/cli/remote.db.test.ts',
  logout: 'needs the variable GATEHOUSE_REMOTE: test/cli/remote.db.test.ts',
}
const isWatching = (line: string) => / --watch\b/.test(line)

/** Accepted endings with an error: commands that ask a person, and commands without anything to do. */
const isAsking = /Pass --yes to do it without being asked|pass it on standard input with --\w+-stdin/

interface Instance {
  readonly database: TestDatabase
  readonly file: string
  /** Replaces the made-up ids of an example by real ones. */
  readonly ids: (line: string) => string
}

let instance: Instance
let home: string

const files: Readonly<Record<string, string | Buffer>> = {
  'password.txt': 'another correct horse battery\n',
  'secret.txt': `${webhookSecret}\n`,
  'apply.yaml': 'source: example\nclients:\n  phone: { name: Phone, type: native, redirectUris: [com.example.app:/callback] }\n',
  'clients.yaml':
    'source: example\nclients:\n  tablet: { name: Tablet, type: native, redirectUris: [com.example.app:/callback] }\n',
  'organizations.yaml': 'organizations:\n  globex: { name: Globex }\n',
  'var/log/audit.log': '',
  'pwned-passwords-sha1-ordered-by-hash.txt': '000000005AD76BD555C1D6D771DE417A4B87E4B4:10\r\n',
}

beforeAll(async () => {
  if (!isFull) return
  home = mkdtempSync(join(tmpdir(), 'gatehouse-examples-'))
  const database = await createDatabaseWithKeys()
  const t = await testApp({ database, config: { billing: { secrets: [webhookSecret] } } })
  const ann = await t.signedIn('ann@example.com')
  await t.signedIn('ada@example.com', 'Ada')
  await t.signedIn('carl@example.com', 'Carl')
  await t.verify('ann@example.com')
  await t.verify('carl@example.com')
  const secrets = environmentOf(database)
  const shell = await openShell(secrets)
  const run = async (line: string) => {
    const said = await shell.run(`gatehouse ${line}`)
    expect([said.exitCode, said.exitCode === 0 ? '' : said.stderr], line).toEqual([0, ''])
    return said.stdout.trim()
  }
  await run('create-org --name Acme --slug acme-inc --owner carl@example.com')
  await t.app.core.db.knex('organization').update({ slug: 'acme' })
  await run('register-client --name Shop --client-id shop --redirect-uri https://shop.example/callback')
  await run('rotate-client-secret shop')
  const secretId = (await t.app.core.db.knex('client_secret').orderBy('created_at').first('id')).id as string
  await run('register-client --name Blog --client-id 0193f2c4 --redirect-uri https://blog.example/callback')
  await run('register-client --name Nightly --client-id nightly --type machine')
  await run('register-client --name Agent --client-id agent --redirect-uri https://agent.example/callback')
  for (const name of ['cart', 'orders']) await run(`create-api https://${name}.example.com --name ${name} --client shop`)
  await codeFor(
    ann,
    { clientId: 'shop', secret: undefined },
    { redirect_uri: 'https://shop.example/callback', prompt: 'consent' },
  )
  for (const name of ['A', 'B', 'C']) await run(`config set brand.name ${name}`)
  const key = JSON.parse(await run('create-api-key --name Import --permission users:read --json')) as { id: string }
  await run('add-webhook-endpoint --name polar-eu')
  await post(
    t.url,
    signedDelivery(webhookSecret, eventOf('customer.created', { customerId: 'cus_1', email: 'buyer@example.com' })),
  )
  const token = JSON.parse(await run('create-initial-access-token --name Import --json')) as { id: string }
  const delivered = await run('list-deliveries --limit 1 -o id')
  await post(t.url, signedDelivery(webhookSecret, { ...eventOf('order.paid'), data: {} }))
  const quarantined = await run('list-deliveries --verdict quarantined -o id')
  await run('create-user --email linus@example.com --name Linus --send-link')
  const session = String((await ann.api.sessions.getSession())?.session.id)
  await t.mails()
  const dead = (await t.app.core.db.knex('task').where({ kind: 'mail.send' }).first('id')).id as string
  await t.app.core.db.knex('task').where({ id: dead }).update({ status: 'dead' })
  await shell.stop()
  const ids = (line: string) => {
    const command = line.split(' ', 1)[0]
    const id =
      command === 'replay-delivery'
        ? delivered
        : command === 'dismiss-delivery'
          ? quarantined
          : /^(forget|link)-customer$/.test(command ?? '') || line.includes('--customer ')
            ? 'cus_1'
            : /^(retry-mail|requeue-task|drop-task)$/.test(command ?? '')
              ? dead
              : '0193f2c4'
    return taken(line)
      .replace('0193f2c4', id)
      .replace('k3Jd8sLq0PzX5vBn', key.id)
      .replace('h4Tz8wQm2rVbY6cJ0kXe5nLsPa9uDgFi', token.id)
      .replace('3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', session)
      .replace('4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', secretId)
  }
  const file = join(home, 'instance.db')
  await t.app.core.db.knex.raw('vacuum into ?', [file])
  await t.stop()
  instance = { database, file, ids }
})
afterAll(() => {
  if (isFull) rmSync(home, { recursive: true, force: true })
})

/** Replaces taken names by free ones in examples that create something. */
const taken = (line: string): string => {
  if (line.startsWith('create-user ')) return line.replace('@example.com', '@new.example.com')
  if (line.startsWith('create-api ')) return line.replace('orders.example.com', 'invoices.example.com')
  if (line.startsWith('create-org ')) return line.replace('--slug acme', '--slug globex')
  if (line.startsWith('add-webhook-endpoint ')) return line.replace('polar-eu', 'polar-us')
  if (line.includes('--only-if-none')) return line.replace('ann@', 'linus@')
  // The other application already has two secrets.
  return line === 'rotate-client-secret shop --overlap 12h' ? line.replace('shop', '0193f2c4') : line
}

/** A shell on a copy of the instance. */
const onCopy = async (number: number, line: string): Promise<Shell> => {
  const dataDir = join(home, String(number))
  mkdirSync(dataDir)
  const copy = join(dataDir, 'gatehouse.db')
  copyFileSync(instance.file, copy)
  const shell = await openShell({
    ...environmentOf(instance.database),
    GATEHOUSE_DATABASE_URL: `sqlite:${copy}`,
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_WEBHOOK_SECRET: webhookSecret,
  })
  for (const [path, content] of Object.entries({
    ...files,
    ...(line.startsWith('check-config') && { 'gatehouse.yaml': '{}\n' }),
    'shop.png': await imageOf(),
    'shop.json': JSON.stringify({ client_name: 'Shop', redirect_uris: ['https://shop.example/callback'] }),
  })) {
    mkdirSync(dirname(join(shell.directory, path)), { recursive: true })
    writeFileSync(join(shell.directory, path), content)
  }
  mkdirSync(join(shell.directory, 'etc/bash_completion.d'), { recursive: true })
  mkdirSync(join(shell.directory, 'var/backups'), { recursive: true })
  mkdirSync(join(shell.directory, '.config/fish/completions'), { recursive: true })
  return shell
}

describe.skipIf(!isFull)('the examples of help', () => {
  for (const [number, line] of examples.entries()) {
    if (line in notRun || isWatching(line)) continue
    test(`the example of help works: gatehouse ${line}`, { timeout: 120_000 }, async () => {
      const shell = await onCopy(number, line)
      try {
        const here = instance
          .ids(line)
          .replaceAll(/(?<![\w.])\/(var|etc)\//g, `${shell.directory}/$1/`)
          .replace('~', shell.directory)
          .replaceAll('user.*', "'user.*'")
        const input = / (apply|backup|restore) .*(?:-f -|--passphrase-stdin)/.test(` ${line}`)
        const before = line.startsWith('apply -f -') ? `cat apply.yaml | ` : input ? `echo '${password} long' | ` : ''
        const said = await shell.run(`${before}gatehouse ${here}`)
        if (said.exitCode === 2 && isAsking.test(said.stderr)) return
        expect([said.exitCode, said.exitCode === 0 ? '' : said.stdout + said.stderr], line).toEqual([0, ''])
      } finally {
        await shell.stop()
      }
    })
  }
})

test('a word of an example of help that contains < or > is quoted, because a shell would read or write a file', () => {
  const unquoted = (line: string) => line.replaceAll(/'[^']*'|"[^"]*"/g, '')
  expect(unquoted('--client shop<https://cart.example.com')).toMatch(/[^\s\d][<>]/)
  expect(examples.filter((line) => /[^\s\d][<>]/.test(unquoted(line)))).toEqual([])
})

test('an example of help that is not run exists and has a reason', () => {
  for (const line of Object.keys(notRun)) expect(examples).toContain(line)
})
