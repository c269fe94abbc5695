import type { Knex } from 'knex'
import { acquire, release } from './knex-parts.ts'
import { createClient, type PostgresConnection } from './postgres.ts'

/**
 * What is between this process and PostgreSQL. `session`: a pooler that keeps one connection for each client, which makes no difference
 * to the client. `transaction`: a pooler that may use another connection for each transaction.
 */
export type Pooling = 'none' | 'session' | 'transaction'

/**
 * Number of comparisons. A pooler counts as keeping sessions only if all of them find the same server processes. One comparison could be
 * wrong, because other clients use the pooler's connections, too.
 */
const rounds = 5

const backendSql = 'select pg_backend_pid() as pid'

const backendOf = async (client: PostgresConnection): Promise<number> =>
  Number((await client.query<{ pid: number }>(backendSql)).rows[0]?.pid)

/**
 * True if two simultaneous clients share one server process, or if the server process of a client changes. If the second client gets no
 * connection because the first keeps it, the pooler keeps sessions, and the result is false.
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
      // The first client still gets answers and only the second one waits. So the pooler keeps the connection of the first client.
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
 * Finds out whether there is a pooler. At the start of a connection, PostgreSQL sends the number of its server process, which clients use
 * to cancel statements. A pooler sends another number instead.
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
 * True for an error that only a pooler without sessions causes: either it refuses a setting at the start of a connection, or a prepared
 * statement is on another connection or belongs to another client.
 */
export const isPoolerError = (error: unknown): boolean => {
  const { code, message = '' } = error as { code?: string; message?: string }
  // The text is compared only for errors of PgBouncer, whose messages are always English. Messages of PostgreSQL are in the language of
  // lc_messages.
  return (code === '08P01' && /startup parameter/.test(message)) || code === '42P05' || code === '26000'
}
