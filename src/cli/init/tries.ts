import { existsSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { migrations } from '../../../migrations/index.ts'
import { compose, configSchema } from '../../composition.ts'
import { systemClock as clock } from '../../core/clock.ts'
import { ConfigError, loadConfig } from '../../core/config.ts'
import { describeDatabase } from '../../core/db/describe.ts'
import { migrationStatus } from '../../core/db/migrate.ts'
import { createLog } from '../../core/log.ts'
import { secretFileOf } from '../../core/master-secret.ts'
import { systemRandom as random } from '../../core/random.ts'
import { explainDatabaseError, requireDirectories } from '../../core/start.ts'
import { isLoopbackUrl } from '../../core/web.ts'
import { listen } from '../../http/listen.ts'

/** The result of testing an answer: what is wrong with it, or a remark for the operator. */
export type Tried = { readonly problem: string } | { readonly told: string }

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** A configuration that consists of these keys only. A random master secret stands in for the one that does not exist yet. */
const configOf = (keys: Readonly<Record<string, unknown>>) =>
  loadConfig(configSchema, { env: {}, flags: { secret: [random.token(64)], ...keys } })

const tried = async (work: () => Promise<Tried> | Tried): Promise<Tried> => {
  try {
    return await work()
  } catch (error) {
    // Names of configuration keys and options are removed from the text, because the operator has only answered a question.
    if (error instanceof ConfigError) return { problem: error.problems.map((one) => one.replace(/^[\w.-]+: /, '')).join('; ') }
    return { problem: messageOf(error) }
  }
}

/** Checks that a text is a URL that gatehouse can use, and returns a remark about the URL. */
export const tryUrl = (url: string): Promise<Tried> =>
  tried(() => {
    const { url: origin } = configOf({ url, http: { allowInsecureUrl: true } })
    if (origin.startsWith('https:')) return { told: `${origin}: applications and people reach gatehouse there.` }
    if (isLoopbackUrl(origin)) return { told: `${origin}: for trying out on this machine only.` }
    return {
      told: `WARNING: ${origin} is http: passwords and cookies travel in the clear. Use https, unless the network is closed.`,
    }
  })

/** Tests whether the daemon could listen on this host and port now. */
export const tryPort = (host: string, port: number): Promise<Tried> =>
  tried(async () => {
    const server = createServer()
    const bound = await listen(server, host, port)
    await new Promise((resolve) => server.close(resolve))
    return { told: `Port ${bound} on ${host} is free.` }
  })

/** Checks that the answers are IP addresses. The remark explains what it means to trust these proxies, or none. */
export const tryProxies = (trustedProxies: readonly string[]): Promise<Tried> =>
  tried(() => {
    configOf({ trustedProxies })
    return trustedProxies.length === 0
      ? { told: 'Behind a proxy all people will share its address and its limits: set trustedProxies in the file later.' }
      : { told: `x-forwarded-for is believed when it comes from ${trustedProxies.join(', ')}.` }
  })

const sqliteFileOf = (url: string) => (url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined)

/** Connects to the database. The remark names its version, and says whether it contains data. */
export const tryDatabase = (url: string, dataDir: string): Promise<Tried> =>
  tried(async () => {
    const config = configOf({ databaseUrl: url, dataDir, database: { waitSeconds: 0 } })
    requireDirectories(dataDir, url)
    const file = sqliteFileOf(url)
    if (file !== undefined && (!existsSync(file) || statSync(file).size === 0))
      return { told: `The first start makes ${file}. One node only; PostgreSQL serves several.` }
    const { database } = compose(config, { clock, random, log: createLog('silent') })
    try {
      const { version, tables } = await describeDatabase(database)
      const { done } = await migrationStatus(database, migrations)
      // The database contains data, but its master secret is not on this machine. A new master secret could not open the sealed data.
      if (done.length > 0 && !existsSync(secretFileOf(dataDir)))
        return {
          problem: `${version} answers, and holds a gatehouse already. Put its master secret into ${secretFileOf(dataDir)} (mode 0600) first, or name another database.`,
        }
      if (done.length > 0) return { told: `${version} answers, and holds a gatehouse already, which will go on.` }
      return tables === 0
        ? { told: `${version} answers, and is empty.` }
        : { told: `${version} answers. It has ${tables} tables of something else beside which gatehouse would make its own.` }
    } catch (error) {
      throw explainDatabaseError(error, 0)
    } finally {
      await database.destroy()
    }
  })

/** The answers about mail, by configuration key. */
export interface MailAnswers {
  readonly url: string
  readonly smtpUrl: string
  readonly mailFrom: string
}

/** Checks whether mails can be sent from this email address. */
export const trySender = (mailFrom: string): Promise<Tried> =>
  tried(() => ({ told: `Mails come from ${configOf({ mailFrom }).mailFrom}.` }))

/** Sends a test mail. The remark is the response of the mail server. */
export const trySmtp = ({ url, smtpUrl, mailFrom }: MailAnswers, to: string): Promise<Tried> =>
  tried(async () => {
    // The test only connects to the mail server. The configuration needs a database, but it is not opened.
    const config = configOf({
      url,
      http: { allowInsecureUrl: true },
      smtpUrl,
      mailFrom,
      databaseUrl: 'postgres://localhost/unused',
      mail: { timeoutSeconds: 15 },
    })
    const { mail, database } = compose(config, { clock, random, log: createLog('silent') })
    const { accepted, answer } = await mail.sendTest(to).finally(() => database.destroy())
    return accepted
      ? { told: `The mail server took a test mail to ${to}: ${answer}` }
      : { problem: `The mail server refused: ${answer}` }
  })
