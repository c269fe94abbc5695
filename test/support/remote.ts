/** Runs commands for an instance on another machine, and the same commands for the instance on this machine. */
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { runProgram } from '../../src/cli/program.ts'
import { createCredentials } from '../../src/cli/remote/credentials.ts'
import { goOn } from '../http/oidc/flow.ts'
import type { TestApp } from './app.ts'
import { environmentOf, runCommand } from './binary.ts'
import type { Client } from './client.ts'
import { insteadOfWaits } from './time.ts'

/** Commands that other test files run remotely: test/cli/remote-apply, -keys and -explain. */
export const inFilesOfTheirOwn: readonly string[] = [
  'apply',
  'export-declaration',
  'create-api-key',
  'rotate-api-key',
  'export-audit',
  'explain',
]

/** All commands that other tests run remotely, including those in test/cli/remote-commands.db.test.ts. */
export const byOtherTests: readonly string[] = [
  ...inFilesOfTheirOwn,
  ...['create-user', 'set-password', 'create-recovery-link', 'cancel-recovery', 'create-org', 'add-member'],
  ...['invite-member', 'list-invitations', 'delete-client', 'list-tasks', 'list-mails', 'list-audit', 'list-failed-sign-ins'],
  ...['link-customer', 'list-deliveries', 'forget-customer', 'replay-delivery', 'dismiss-delivery', 'config'],
  ...['add-webhook-endpoint', 'rotate-webhook-secret', 'list-webhook-endpoints', 'remove-webhook-endpoint'],
  'rotate-client-secret',
]

/** `home` is the directory of the person's settings. `note` receives the name of each command that runs remotely. */
export const remoteCommands = (app: () => TestApp, home: () => string, note: (command: string) => unknown = () => undefined) => {
  const file = () => join(home(), 'gatehouse', 'credentials.json')

  /** Starts a command on a machine that knows only the address of the instance. */
  const start = (args: readonly string[], input = '', env: Readonly<Record<string, string>> = {}) => {
    const said = { stdout: '', stderr: '' }
    const into = (name: keyof typeof said) =>
      new Writable({
        write: (chunk, _, done) => {
          said[name] += String(chunk)
          done()
        },
      })
    const terminal = {
      stdin: Readable.from(input === '' ? [] : [input]),
      stdout: into('stdout'),
      stderr: into('stderr'),
      env: { XDG_CONFIG_HOME: home(), ...env },
    }
    const ended = runProgram(args, terminal as unknown as Parameters<typeof runProgram>[1])
    return { said, ended }
  }
  const runWith = async (input: string, ...args: readonly string[]) => {
    note(args[0] ?? '')
    const { said, ended } = start([...args, '--remote', app().url], input)
    return { exitCode: await ended, ...said }
  }
  const run = (...args: readonly string[]) => runWith('', ...args)
  const hereWith = async (input: string, ...args: readonly string[]) => {
    const env = { ...environmentOf(app().database), GATEHOUSE_URL: app().url, GATEHOUSE_ORGANIZATIONS_CREATION: 'everybody' }
    const { exitCode, stdout, stderr } = await runCommand(args, env, input)
    return { exitCode, stdout, stderr }
  }
  const here = (...args: readonly string[]) => hereWith('', ...args)
  const approve = async (browser: Client, userCode: string) => {
    const { json } = await browser.post('/oauth2/device/confirm', { userCode })
    await goOn(browser, await browser.request(String(json['redirectURI'])))
  }
  /** Signs in at a terminal. The person in the browser approves the sign-in while the command waits for five seconds. */
  const loginAtTerminal = async (browser: Client, approveIn = (userCode: string) => approve(browser, userCode)) => {
    const { said, ended } = start(['login', '--remote', app().url])
    const codeShown = () => /user_code=([A-Z-]{9})/.exec(said.stderr)?.[1] ?? ''
    const { result: exitCode, waits } = await insteadOfWaits(
      '/src/cli/remote/',
      () => approveIn(codeShown()),
      () => ended,
    )
    return { exitCode, waits, ...said }
  }
  /** Stores the same tokens as the command `login`, without its wait. For tests of other commands. */
  const login = async (browser: Client) => {
    const { url } = app()
    const post = async (path: string, form: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams({ client_id: 'gatehouse-cli', ...form })
      return (await (await fetch(url + path, { method: 'POST', body })).json()) as Readonly<Record<string, string | number>>
    }
    const asked = await post('/oauth2/device', { scope: 'openid administration', max_age: '600' })
    await approve(browser, String(asked['user_code']))
    const tokens = await post('/oauth2/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: String(asked['device_code']),
    })
    createCredentials({ env: { XDG_CONFIG_HOME: home() } }).write(url, {
      accessToken: String(tokens['access_token']),
      refreshToken: String(tokens['refresh_token']),
      expiresAt: Date.now() + Number(tokens['expires_in']) * 1000,
    })
  }
  return { start, run, runWith, here, hereWith, login, loginAtTerminal, file }
}
