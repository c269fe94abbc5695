import type { Knex } from 'knex'
import { acquire, release } from './knex-parts.ts'
import { createClient, type PostgresConnection } from './postgres.ts'

/**
 * What stands between a process and PostgreSQL. `session` keeps a connection for each client and changes nothing. `transaction` gives
 * each transaction any connection.
 */
export type Pooling = 'none' | 'session' | 'transaction'

/**
 * Number of comparisons after which a pooler counts as one that keeps sessions. A single comparison could be wrong, because other clients
 * use its connections meanwhile.
 */
const rounds = 5

const backendSql = 'select pg_backend_pid() as pid'

const backendOf = async (client: PostgresConnection): Promise<number> =>
  Number((await client.query<{ pid: number }>(backendSql)).rows[0]?.pid)

/**
 * True if two simultaneous clients have the same server process, or if the process of one of them changes. A client that gets no
 * connection waits for one that the other client keeps, so that pooler keeps sessions.
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
      // The first client is served and only the second waits, so the first keeps its connection.
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
 * Finds out whether there is a pooler. PostgreSQL sends each client the number of its server process. A pooler sends a number of its own,
 * with which clients cancel statements.
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
 * True for errors that only a pooler without sessions causes: it refuses a setting at the start of a connection, or a prepared statement
 * belongs to another client or connection.
 */
export const isPoolerError = (error: unknown): boolean => {
  const { code, message = '' } = error as { code?: string; message?: string }
  // PgBouncer answers in English. PostgreSQL answers in the language of lc_messages.
  return (code === '08P01' && /startup parameter/.test(message)) || code === '42P05' || code === '26000'
}
