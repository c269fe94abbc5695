import type { Knex } from 'knex'
import { acquire, release } from './knex-parts.ts'
import { createClient, type PostgresConnection } from './postgres.ts'

/**
 * The program between a process and PostgreSQL: none; a pooler that keeps a connection for each client, which changes nothing; or a
 * pooler that gives each transaction any connection.
 */
export type Pooling = 'none' | 'session' | 'transaction'

/** Number of comparisons of two clients before a pooler counts as one that keeps sessions: others may use its connections meanwhile. */
const rounds = 5

const backendSql = 'select pg_backend_pid() as pid'

const backendOf = async (client: PostgresConnection): Promise<number> =>
  Number((await client.query<{ pid: number }>(backendSql)).rows[0]?.pid)

/**
 * True when two simultaneous clients get the same server process, or one of them changes it. If a client gets no connection, it waits for
 * one that another client keeps, so the pooler keeps sessions.
 */
const sharesBackends = async (url: string): Promise<boolean> => {
  const clients = [1, 2].map(() => createClient(url))
  const [first, second] = clients as [PostgresConnection, PostgresConnection]
  for (const client of clients) client.on('error', () => undefined)
  try {
    await first.connect()
    const before = [await backendOf(first)]
    try {
      await second.connect()
      before.push(await backendOf(second))
    } catch (error) {
      // The first client is served, and only the second waits: the first keeps its connection.
      if (/timeout/i.test((error as Error).message) && (await backendOf(first)) === before[0]) return false
      throw error
    }
    for (let round = 0; round < rounds; round += 1) {
      if (before[0] === before[1]) return true
      if ((await backendOf(first)) !== before[0] || (await backendOf(second)) !== before[1]) return true
    }
    return false
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  }
}

/**
 * Finds a pooler. PostgreSQL sends each client the number of its server process; a pooler sends its own number, which clients use for
 * cancelling statements.
 */
export const poolingOf = async (knex: Knex, url: string): Promise<Pooling> => {
  const client = (await acquire(knex)) as PostgresConnection & { readonly processID: number | null }
  try {
    if (client.processID === (await backendOf(client))) return 'none'
  } finally {
    release(knex, client)
  }
  return (await sharesBackends(url)) ? 'transaction' : 'session'
}

/**
 * True for errors that only poolers without sessions cause: a refused setting at the start of a connection, or a prepared statement that
 * is another client's or on another connection.
 */
export const isPoolerError = (error: unknown): boolean => {
  const { code, message = '' } = error as { code?: string; message?: string }
  // PgBouncer answers in English, PostgreSQL in the language of lc_messages.
  return (code === '08P01' && /startup parameter/.test(message)) || code === '42P05' || code === '26000'
}
