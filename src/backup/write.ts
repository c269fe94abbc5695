import type { Core } from '../core/core.ts'
import type { Database } from '../core/db/database.ts'
import { type MigrationList, migrationStatus } from '../core/db/migrate.ts'
import { schemaModelOf } from '../core/db/schema-model.ts'
import type { SealedColumn } from '../core/db/table.ts'
import type { Setting } from '../core/settings.ts'
import { describeConfiguration } from './configuration.ts'
import { backupErrors } from './contract.ts'
import { backupLines } from './file/lines.ts'
import { readBackup } from './file/read.ts'
import { type Written, writeBackupFile } from './file/write.ts'
import { sealKeys } from './keys.ts'
import { formatVersion, type Header } from './rules/format.ts'

export interface BackupFile extends Written {
  readonly rows: number
  readonly hasKeys: boolean
  /** Configuration keys with secret values that are not in the database. */
  readonly secrets: readonly string[]
}

interface Order {
  readonly to: string
  /** The passphrase that seals the master secrets in the backup. If undefined, the backup does not contain them. */
  readonly passphrase: string | undefined
  readonly signal?: AbortSignal
}

/** Writes a backup of the whole database to a file. All rows are from the same moment. */
export type WriteBackup = (order: Order) => Promise<BackupFile>

export interface WriteDeps extends Pick<Core, 'clock' | 'random' | 'secrets' | 'url'> {
  readonly database: Pick<Database, 'dialect' | 'snapshot'>
  readonly migrations: MigrationList
  readonly sealedColumns: readonly SealedColumn[]
  readonly version: string
  readonly settings: () => readonly Setting[]
  /** Returns the master secrets, newest first. It is called only when they are needed. */
  readonly masterSecrets: () => readonly string[]
}

export const createBackupWriter =
  ({
    clock,
    random,
    secrets,
    url,
    database,
    migrations,
    sealedColumns,
    version,
    settings,
    masterSecrets,
  }: WriteDeps): WriteBackup =>
  async ({ to, passphrase, signal }) => {
    const keys = passphrase === undefined ? null : await sealKeys(masterSecrets(), passphrase, random)
    const described = describeConfiguration(settings())
    let rows = 0
    const written = await database.snapshot(async (db) => {
      const header: Header = {
        gatehouseBackup: formatVersion,
        gatehouse: version,
        migrations: [...(await migrationStatus({ db }, migrations)).done],
        madeAt: clock.now().toISOString(),
        url,
        database: database.dialect,
        secretIds: [...secrets.ids],
        keys,
        ...described,
      }
      const lines = backupLines(db, header, sealedColumns, await schemaModelOf(migrations, header.migrations), (total) => {
        rows = total.rows
      })
      return writeBackupFile({
        to,
        random: random.token(8),
        lines,
        sign: (sha256) => secrets.sign('backup', sha256),
        verify: async (file) => {
          const { total } = await readBackup(file)
          const unknown = total.sealedWith.filter((id) => !secrets.ids.includes(id))
          if (unknown.length > 0)
            throw backupErrors.error('MASTER_SECRET_DOES_NOT_FIT', {
              message: `The database holds values that no configured master secret opens (${unknown.join(', ')}): a backup of it could not be restored. Put that secret back behind the others.`,
            })
        },
        signal,
      })
    })
    return { ...written, rows, hasKeys: keys !== null, secrets: described.secrets.filter((key) => key !== 'secret') }
  }
