import { join } from 'node:path'
import knex from 'knex'
import { startPostgres } from '../../test/support/postgres.ts'
import { withDatabase } from './database.ts'
import { fillPeople } from './people.ts'
import { password, startGatehouse } from './targets.ts'

/** Numbers of rows in a database. */
export interface Rows {
  readonly users: number
  readonly events: number
}

/** Address of the administrator. */
const email = 'root@bench.example'

/** Starts a server with this many rows. Returns it with the session cookie of an administrator. */
export const startAmong = async (databaseUrl: string, dataDir: string, size: Rows) => {
  const target = await startGatehouse({ databaseUrl, dataDir, verbose: false })
  const began = Date.now()
  await target.stop()
  await fillPeople(databaseUrl, size)
  await target.restart()
  process.stderr.write(`${size.users} users and ${size.events} events after ${Math.round((Date.now() - began) / 1000)} s\n`)
  const signedUp = await fetch(`${target.origin}/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Root', email, password }),
  })
  await withDatabase(databaseUrl, (db) => db('user').where({ email }).update({ role: 'admin' }))
  const cookie = signedUp.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  return { target, cookie, email }
}
export type Server = Awaited<ReturnType<typeof startAmong>>

/** Returns a function that makes databases of one kind, by name: SQLite files in a directory, or databases of a new PostgreSQL server. */
export const databases = async (name: string, dir: string) => {
  if (name === 'sqlite')
    return { urlOf: async (owner: string) => `sqlite:${join(dir, `${owner}.db`)}`, stop: async () => undefined }
  const server = await startPostgres()
  const urlOf = async (owner: string) => {
    const admin = knex({ client: 'pg', connection: server.url, pool: { min: 0, max: 1 } })
    await admin.raw('create database ??', [owner])
    await admin.destroy()
    return Object.assign(new URL(server.url), { pathname: `/${owner}` }).href
  }
  return { urlOf, stop: server.stop }
}
