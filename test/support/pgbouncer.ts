/** PgBouncer in transaction mode, if it is installed. Each transaction gets any of a few connections, and keeps no state on it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Absent } from './absent.ts'
import { freePort } from './port.ts'

export interface PgBouncer {
  /** The address of the PostgreSQL server, with PgBouncer's host and port in place of its own. */
  readonly url: string
  stop(): Promise<void>
}

/** Path of the program; undefined if it is not installed. */
export const pgBouncerFile = (): string | undefined =>
  [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
    .map((directory) => join(directory, 'pgbouncer'))
    .find((file) => existsSync(file))

const settingsOf = ({ hostname, port, username, password }: URL, ownPort: number, more: Readonly<Record<string, string>>) => {
  const settings: Readonly<Record<string, string>> = {
    listen_addr: '127.0.0.1',
    listen_port: String(ownPort),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    // Fewer connections than clients, so that no client has a connection to itself.
    default_pool_size: '5',
    max_client_conn: '2000',
    server_idle_timeout: '5',
    ...more,
  }
  const server = `host=${hostname} port=${port || '5432'} user=${username}${password === '' ? '' : ` password=${password}`}`
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  return `[databases]\n* = ${server}\n\n[pgbouncer]\n${lines.join('\n')}\n`
}

/** Starts PgBouncer in front of a PostgreSQL. `more` are settings for its configuration file. Throws `Absent` if it is not installed. */
export const startPgBouncer = async (postgresUrl: string, more: Readonly<Record<string, string>> = {}): Promise<PgBouncer> => {
  const file = pgBouncerFile()
  if (file === undefined) throw new Absent('no pgbouncer is installed')
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-pgbouncer-'))
  const settings = join(directory, 'pgbouncer.ini')
  writeFileSync(settings, settingsOf(new URL(postgresUrl), port, more))
  // PgBouncer refuses to run as root.
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  if (nobody.uid !== undefined) for (const path of [directory, settings]) chownSync(path, nobody.uid, nobody.gid)
  const server = spawn(file, [settings], { ...nobody, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] })
  const kill = () => server.kill('SIGKILL')
  process.once('exit', kill)
  await new Promise<void>((resolve, reject) => {
    let said = ''
    // The listener stays, because a full pipe would stop PgBouncer.
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000)
      if (said.includes('process up')) resolve()
    })
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`PgBouncer ended with code ${code}:\n${said}`)))
  })
  const url = new URL(postgresUrl)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    stop: async () => {
      process.off('exit', kill)
      const ended = once(server, 'exit')
      kill()
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
