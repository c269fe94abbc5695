import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { StartError } from '../../core/start.ts'
import { fileProblem } from '../../core/system-failure.ts'
import { isLoopbackUrl } from '../../core/web.ts'
import { parseEmail } from '../../core/wire.ts'
import { type Dialogue, withoutPassword } from './dialogue.ts'
import type { Answers } from './file.ts'
import { type Tried, tryDatabase, tryPort, tryProxies, trySender, trySmtp, tryUrl } from './tries.ts'

/** The suggested answers. Each comes from an option, otherwise from an environment variable, otherwise from a default. */
export interface Presets {
  readonly url: string
  readonly host: string
  readonly port: number | undefined
  /** IP addresses separated by commas. If undefined, the suggestion depends on the address that the daemon listens on. */
  readonly trustedProxies: string | undefined
  readonly dataDir: string
  readonly databaseUrl: string
  readonly adminEmail: string
  readonly mailFrom: string | undefined
  readonly smtpUrl: string
  readonly file: string
  readonly mayReplace: boolean
  /** False with `--yes`. Then no question is asked, and a suggestion that does not work is an error. */
  readonly isAsking: boolean
}

export interface Answered {
  readonly answers: Answers
  readonly mayReplace: boolean
}

const none = 'none'
const isYes = (answer: string) => /^y(es)?$/i.test(answer)

const defaultPort = 3000

const addressesOf = (answer: string): readonly string[] =>
  answer === none ? [] : answer.split(',').map((address) => address.trim())

/**
 * Asks the six questions. Each answer is tested at once, and the question is asked again if the answer does not work. With `--yes`, it
 * throws `StartError` in that case.
 */
export const askAll = async (dialogue: Dialogue, presets: Presets): Promise<Answered> => {
  const { host, isAsking } = presets
  const dataDir = resolve(presets.dataDir)

  const ask = async (question: string, preset: string, attempt: (answer: string) => Promise<Tried>): Promise<string> => {
    for (;;) {
      const answer = await dialogue.ask(question, preset)
      const result = await attempt(answer)
      if ('told' in result) {
        if (result.told !== '') dialogue.say(`   ${result.told}`)
        return answer
      }
      if (!isAsking)
        throw new StartError(
          'ANSWER_NOT_USABLE',
          `${question.replace(/^(\d\.)? +/, '')} (${withoutPassword(answer)}): ${result.problem}`,
        )
      dialogue.say(`   ${result.problem}`)
    }
  }

  /** The daemon's port that a loopback URL contains. Any other URL is that of a proxy, whose port is not the daemon's. */
  const portOf = (url: string) =>
    presets.port ?? (isLoopbackUrl(url) && new URL(url).port !== '' ? Number(new URL(url).port) : defaultPort)

  let allowInsecureUrl = false
  const url = new URL(
    await ask('1. Public address', presets.url, async (answer) => {
      const result = await tryUrl(answer)
      if (!('told' in result)) return result
      allowInsecureUrl = result.told.startsWith('WARNING')
      if (allowInsecureUrl) {
        dialogue.say(`   ${result.told}`)
        if (!isYes(await dialogue.ask('   Use it all the same? yes or no', 'no'))) return { problem: 'It is not used.' }
      } else dialogue.say(`   ${result.told}`)
      return isLoopbackUrl(answer) ? tryPort(host, portOf(answer)) : { told: '' }
    }),
  ).origin

  let port = portOf(url)
  let trustedProxies: readonly string[] = []
  if (!isLoopbackUrl(url)) {
    const first = await tryPort(host, port)
    dialogue.say(`   ${'told' in first ? first.told : first.problem}`)
    // The port is asked for only if the default port is in use. Without questions, that is an error, because the program never chooses
    // another port by itself.
    if ('problem' in first && !isAsking) throw new StartError('ANSWER_NOT_USABLE', first.problem)
    if ('problem' in first)
      port = Number(
        await ask('   Port to listen on', String(port + 1), (answer) =>
          tryPort(host, /^\d{1,5}$/.test(answer) ? Number(answer) : -1),
        ),
      )
    // If the daemon listens on loopback, only a proxy on the same machine can reach it, so that proxy is suggested.
    const usual = presets.trustedProxies ?? (isLoopbackUrl(`http://${host}`) ? '127.0.0.1' : none)
    trustedProxies = addressesOf(
      await ask('   Reverse proxies that name the client: addresses separated by commas, or none', usual, (answer) =>
        tryProxies(addressesOf(answer)),
      ),
    )
  }

  const sqlite = `sqlite:${join(dataDir, 'gatehouse.db')}`
  const addressOf = (answer: string) => (answer === 'sqlite' ? sqlite : answer)
  const databaseUrl = addressOf(
    await ask('2. Database: sqlite, or postgres://user:password@host/name', presets.databaseUrl, (answer) =>
      tryDatabase(addressOf(answer), dataDir),
    ),
  )

  const adminEmail = await ask(`3. Address of the administrator, who gets the test mail`, presets.adminEmail, async (answer) =>
    answer === none || parseEmail(answer) !== undefined ? { told: '' } : { problem: 'must be an email address, or none' },
  )
  const sender = presets.mailFrom ?? `gatehouse <no-reply@${new URL(url).hostname}>`
  const mailFrom = await ask('4. Sender of mails', sender, trySender)
  const smtpUrl = await ask('5. Mail server: smtp://user:password@host:587, or none', presets.smtpUrl, async (answer) => {
    if (answer === none) return { told: 'Mails become files in the data directory, and their links are logged.' }
    if (adminEmail === none)
      return { problem: 'No test mail without an address of the administrator: say none, and set smtpUrl in the file later.' }
    return trySmtp({ url, smtpUrl: answer, mailFrom }, adminEmail)
  })

  let mayReplace = presets.mayReplace
  const file = await ask('6. Where to write the configuration', presets.file, async (answer) => {
    const directory = dirname(resolve(answer))
    try {
      accessSync(directory, constants.W_OK | constants.X_OK)
    } catch (error) {
      return { problem: `The directory ${fileProblem(error, directory)}. Choose another place.` }
    }
    if (!existsSync(answer) || mayReplace) return { told: '' }
    if (isYes(await dialogue.ask(`   ${answer} exists. Overwrite it? yes or no`, 'no'))) {
      mayReplace = true
      return { told: '' }
    }
    return { problem: 'It exists, and stays as it is; --force overwrites it.' }
  })

  const found = {
    url,
    allowInsecureUrl,
    host,
    port,
    trustedProxies,
    dataDir,
    databaseUrl,
    adminEmail,
    mailFrom,
    file: resolve(file),
  }
  return { answers: { ...found, smtpUrl: smtpUrl === none ? '' : smtpUrl }, mayReplace }
}
