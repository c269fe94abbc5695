import { defineFindings, type Finding } from '../../core/checks.ts'
import type { Database } from '../../core/db/database.ts'
import { type MigrationList, migrationStatus } from '../../core/db/migrate.ts'
import { schemaDifferences, schemaModelOf } from '../../core/db/schema-model.ts'

export const schemaTexts = defineFindings({
  'schema-differs': {
    message: 'The tables are not as the migrations made them, or the user of the database may not use them: {differences}',
    remedy:
      'grant what is named, create a missing index again or reindex an invalid one, and undo what keeps rows from being read or written',
  },
})

/** How many names a finding lists at most. */
const mostNamed = 10

/** Finds changes that somebody has made to gatehouse's tables directly in the database. */
export const schemaFindings = async (database: Pick<Database, 'db'>, migrations: MigrationList): Promise<readonly Finding[]> => {
  const { done } = await migrationStatus(database, migrations)
  const { broken, indexes } = await schemaDifferences(database.db, await schemaModelOf(migrations, done))
  const all = [...broken, ...indexes]
  if (all.length === 0) return []
  const differences = `${all.slice(0, mostNamed).join('; ')}${all.length > mostNamed ? '; …' : ''}`
  return [schemaTexts.found(broken.length > 0 ? 'failed' : 'warning', 'schema-differs', { differences })]
}
