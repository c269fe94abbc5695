import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { systemPrincipal } from '../../src/access/principal.ts'
import { createServing } from '../../src/cli/serving.ts'
import { type App, gatehouse } from '../../src/composition.ts'
import { systemClock } from '../../src/core/clock.ts'
import { readSources } from '../../src/core/config.ts'
import { createLog } from '../../src/core/log.ts'
import { openNode } from '../../src/core/node.ts'
import { systemRandom } from '../../src/core/random.ts'
import { watchRefusals } from './api-document.ts'
import { type Client, createClient } from './client.ts'
import { createDatabaseWithKeys, createMigratedDatabase, type TestDatabase } from './database.ts'
import { reservePort } from './port.ts'
import { testSecret } from './secret.ts'
import { attributeRequests } from './statements.ts'
import { advance, hold, resetTime } from './time.ts'

export const password = 'correct horse battery'

/** A mail as it was sent: its `.eml` text, and the first link in it. */
export interface SentMail {
  readonly raw: string
  readonly link: string
}

export interface TestApp {
  readonly url: string
  /** The features in their present state. A change of settings replaces them. */
  readonly app: App
  readonly database: TestDatabase
  /** Moves or stops the clock for server, libraries and test. */
  readonly clock: { readonly advance: typeof advance; readonly hold: typeof hold }
  /** Lets jobs search for work at once, not at their next poll. Needed for example after the clock was moved. */
  wake(...jobs: readonly string[]): Promise<void>
  /** A browser without a session. */
  client(): Client
  /** A browser in which a user with this address has just signed up. */
  signedIn(email: string, name?: string): Promise<Client>
  /** Marks the address of a user as verified, as a mailed link would. */
  verify(email: string): Promise<void>
  /** The newest mail to an address, of the given kind or of any kind. */
  mailTo(address: string, kind?: string): Promise<SentMail>
  /** All mails sent so far, newest first. Waits until no mail is being sent. */
  mails(): Promise<readonly (SentMail & { readonly kind: string; readonly to: string })[]>
  /** Kinds of all mails to an address so far, oldest first. It waits until requests by people without a session have been handled. */
  mailKinds(address: string): Promise<readonly string[]>
  /** Starts a second node on the same database, with other settings if given. */
  node(changes?: Record<string, unknown>): Promise<TestApp>
  stop(): Promise<void>
}

export interface TestOptions {
  /** Keys of the configuration, as in the YAML file. */
  readonly config?: Record<string, unknown>
  /** A migrated database. If absent, the app makes its own. Stopping the app drops it. */
  readonly database?: TestDatabase
  /** Environment variables and configuration file, in addition to `config`. */
  readonly env?: Readonly<Record<string, string>>
  readonly file?: string
  /** The composition to start, in place of gatehouse's own. */
  readonly application?: Pick<typeof gatehouse, 'configSchema' | 'compose'>
  /** Receives log lines. */
  readonly onLog?: (line: string) => void
}

/** Decodes the quoted-printable line breaks of a mail, so that links are not split. */
const unfold = (raw: string) =>
  raw.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

const readMail = (raw: string): SentMail => {
  const plain = unfold(raw)
  return { raw: plain, link: /https?:\/\/[^\s"<>]+/.exec(plain)?.[0] ?? '' }
}

const startOn = async (
  database: TestDatabase,
  { config = {}, onLog, application = gatehouse, env = {}, file }: TestOptions,
  isFirst: boolean,
): Promise<TestApp> => {
  const log = onLog === undefined ? createLog('silent') : createLog('trace', { destination: { write: onLog } })
  // The settings contain the address, so the port is reserved before the server listens.
  const { port, socket } = await reservePort()
  const url = typeof config['url'] === 'string' ? config['url'] : `http://localhost:${port}`
  const flags = {
    databaseUrl: database.url,
    dataDir: database.dataDir,
    secret: [testSecret],
    url,
    password: { memoryKib: 8, timeCost: 1, allowWeakHashing: true },
    ...config,
    // Each connection of PostgreSQL is a process with caches to fill. When an instance starts, its jobs open as many connections as the
    // pool allows.
    database: { pooler: database.pooler, poolMax: 4, ...(config['database'] as object | undefined) },
    oidc: { rsaModulusLength: 2048, ...(config['oidc'] as object | undefined) },
    // Everybody may make an organization, as in the specification. Most tests are about people who have just signed up.
    ...(application === gatehouse
      ? { organizations: { creation: 'everybody', ...(config['organizations'] as object | undefined) } }
      : {}),
  }
  const read = readSources(application.configSchema, { env, flags, file })
  const runtime = { clock: systemClock, random: systemRandom, log }
  const node = openNode(read.core(), runtime)
  const serving = await createServing({ compose: application.compose, runtime, read, node })
  const app = serving.current()
  const server = attributeRequests(serving.server)
  const requireDocumentedRefusals = watchRefusals(server, app)
  await app.prepare()
  serving.start()
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  const local = `http://localhost:${port}`

  const mails = () => {
    const outbox = join(database.dataDir, 'outbox')
    if (!existsSync(outbox)) return []
    return readdirSync(outbox)
      .sort()
      .reverse()
      .filter((name) => name.endsWith('.eml'))
      .map((name) => ({ name, raw: readFileSync(join(outbox, name), 'utf8') }))
  }
  const client = () => createClient(local)
  return {
    url: local,
    get app() {
      return serving.current()
    },
    database,
    clock: { advance, hold },
    wake: (...jobs) =>
      app.core.transact(async (tx) => {
        for (const job of jobs) await app.core.signals.wake(tx, job)
      }),
    client,
    signedIn: async (email, name = 'Ann Example') => {
      const browser = client()
      await browser.api.accounts.signUpEmail({ body: { email, name, password } })
      return browser
    },
    verify: async (email) => {
      const user = await app.users.require(app.core.db, email)
      await app.core.transact((tx) => app.users.verifyEmail(tx, systemPrincipal('test'), user.id, user))
    },
    mails: async () => {
      await vi.waitFor(async () => {
        const { knex } = app.core.db
        const underWay = [
          await knex('mail_request').select('id'),
          await knex('task')
            .whereIn('kind', ['mail.send', 'mail-sign-in.answer'])
            .whereIn('status', ['pending', 'running'])
            .select('id'),
        ]
        if (underWay.flat().length > 0) throw new Error('mails are still under way')
      }, 60_000)
      return mails().map(({ name, raw }) => ({
        ...readMail(raw),
        kind: /Z-([a-z-]+)-\w+\.eml$/.exec(name)?.[1] ?? '',
        to: /^To: .*?([^\s<>]+@[^\s<>]+)>?$/im.exec(raw)?.[1] ?? '',
      }))
    },
    mailKinds: async (address) => {
      await vi.waitFor(async () => {
        const asked = app.core.db
          .knex('task')
          .where({ kind: 'mail-sign-in.answer', status: 'pending' })
          .orWhere({ kind: 'mail-sign-in.answer', status: 'running' })
        const underWay = [await app.core.db.knex('mail_request').select('id'), await asked.select('id')]
        if (underWay.flat().length > 0) throw new Error('requests are still under way')
      }, 60_000)
      const rows = await app.mail.list(undefined, 1000)
      return rows.flatMap(({ toAddress, kind }) => (toAddress === address ? [kind] : [])).reverse()
    },
    mailTo: (address, kind) =>
      vi.waitFor(
        () => {
          const mail = mails().find(
            ({ name, raw }) =>
              (kind === undefined || name.includes(`-${kind}-`)) &&
              (/^To: .*$/im.exec(raw)?.[0] ?? '').toLowerCase().includes(address.toLowerCase()),
          )
          if (mail === undefined) throw new Error(`no ${kind ?? ''} mail to ${address}`)
          return readMail(mail.raw)
        },
        { timeout: 60_000, interval: 20 },
      ),
    node: (changes = {}) =>
      startOn(
        database,
        { application, config: { ...config, url, ...changes }, ...(onLog === undefined ? {} : { onLog }) },
        false,
      ),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await serving.stop()
      await node.database.destroy()
      if (isFirst) {
        resetTime()
        await database.drop()
      }
      requireDocumentedRefusals()
    },
  }
}

/** Starts the real server on a loopback port, with its own database. Stop it in `afterAll`. */
export const testApp = async (options: TestOptions = {}): Promise<TestApp> => {
  const create = options.config?.['secret'] === undefined ? createDatabaseWithKeys : createMigratedDatabase
  return startOn(options.database ?? (await create()), options, true)
}
