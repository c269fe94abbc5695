import { defineFindings, type Finding } from '../../core/checks.ts'
import type { Database } from '../../core/db/database.ts'
import { hasStatementTimeout } from './store.ts'

export const poolerTexts = defineFindings({
  'pooler-unset': {
    message: 'PostgreSQL is reached through a pooler that keeps no sessions: prepared statements fail on it',
    remedy: 'set database.pooler to transaction, or databaseUrl to the address of PostgreSQL itself',
  },
  'pooler-absent': {
    message:
      'database.pooler is transaction, and no pooler is there: statements are not prepared, and nodes wait up to two seconds for news',
    remedy: 'set database.pooler to none',
  },
  'pooler-without-limits': {
    message: 'The pooler passes no limits of time on: PostgreSQL goes on with a statement that nobody waits for any more',
    remedy: "alter role <user of the database> set statement_timeout = '8s'",
  },
})

/**
 * Finds problems with a connection pooler in front of PostgreSQL: a pooler that is not configured, a configured one that does not exist,
 * or one that drops time limits.
 */
export const poolerFindings = async (database: Pick<Database, 'db' | 'pooling' | 'isPooled'>): Promise<Finding[]> => {
  const { db, isPooled } = database
  const pooling = await database.pooling()
  if (pooling === 'transaction' && !isPooled) return [poolerTexts.found('failed', 'pooler-unset')]
  if (pooling === 'none' && isPooled) return [poolerTexts.found('notice', 'pooler-absent')]
  if (pooling === 'none' || (await hasStatementTimeout(db))) return []
  return [poolerTexts.found('warning', 'pooler-without-limits')]
}
