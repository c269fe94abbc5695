import type { Tx } from '../../core/db/database.ts'
import type { Outdated } from '../../core/db/sweep.ts'
import { nullable, type Row, table, text, time } from '../../core/db/table.ts'

const columns = {
  id: text,
  clientId: text,
  sessionId: text,
  userId: text,
  queryHash: text,
  openedAt: nullable(time),
  expiresAt: time,
}
const testSignIns = table('test_sign_in', columns)
export type TestSignInRow = Row<typeof columns>

export const insertTestSignIn = (tx: Tx, row: TestSignInRow) => testSignIns.insert(tx, row)

/** Returns true if this session may send the authorization request with this query: only once, and only until the test expires. */
export const openTestSignIn = async (
  tx: Tx,
  { id, sessionId, queryHash }: Pick<TestSignInRow, 'id' | 'sessionId' | 'queryHash'>,
  now: Date,
): Promise<boolean> => {
  const opened: number = await tx
    .knex(testSignIns.name)
    .where({ id, session_id: sessionId, query_hash: queryHash })
    .whereNull('opened_at')
    .where('expires_at', '>', now)
    .update({ opened_at: now })
  return opened === 1
}

/** Ends a test whose authorization request this user has opened. Undefined if there is no such test, or if another request has ended it. */
export const takeTestSignIn = async (
  tx: Tx,
  { id, userId }: Pick<TestSignInRow, 'id' | 'userId'>,
  now: Date,
): Promise<TestSignInRow | undefined> => {
  const found = await testSignIns.find(tx, { id, userId })
  if (found === undefined || found.openedAt === null || found.expiresAt <= now) return undefined
  return (await testSignIns.delete(tx, { id })) === 1 ? found : undefined
}

export const testSignInsBefore = (before: Date): Outdated => ({
  ...{ table: testSignIns.name, key: ['id'], choose: (rows) => rows.where('expires_at', '<', before) },
})
