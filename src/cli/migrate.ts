import { Option } from 'commander'
import { migrations } from '../../migrations/index.ts'
import { systemClock as clock } from '../core/clock.ts'
import type { Database } from '../core/db/database.ts'
import { type MigrationStatus, migrateDown, migrateUp, migrationStatus, previewDown } from '../core/db/migrate.ts'
import type { Output } from '../core/output/format.ts'
import { hasFiles, requireSettings, whenReachable } from '../core/start.ts'
import type { GatehouseCommand } from './command.ts'
import { loadConfiguration } from './globals.ts'
import { type Opened, patienceOf } from './open.ts'
import type { Shell } from './run.ts'

interface MigrateFlags {
  readonly dryRun?: boolean
  readonly status?: boolean
  readonly down?: boolean
  readonly yes?: boolean
}

const shownStatus = ({ done, pending }: MigrationStatus, { dryRun }: MigrateFlags): Output => {
  if (dryRun === true) return { json: { pending }, text: ['Would run:', ...pending].join('\n  ') }
  const rows = [...done.map((name) => ({ name, state: 'done' })), ...pending.map((name) => ({ name, state: 'pending' }))]
  return { json: { done, pending }, rows }
}

const nothingToUndo: Output = { json: { undone: null, lost: [] }, text: 'Nothing to take back.' }

const takeBack = async (shell: Shell, database: Database, isConfirmed: boolean): Promise<Output> => {
  const preview = await previewDown(database, migrations)
  if (preview === undefined) return nothingToUndo
  const { name, lost } = preview
  const loss = lost.length === 0 ? 'nothing' : lost.join(', ')
  await shell.confirm(isConfirmed, `This undoes ${name}. Permanently lost data: ${loss}.`)
  const undone = (await migrateDown(database, migrations)) ?? null
  return { json: { undone, lost }, text: `Taken back: ${undone}. Lost: ${loss}.` }
}

const migrate = (shell: Shell, opened: Opened, flags: MigrateFlags): Promise<Output> =>
  whenReachable(patienceOf(opened), async () => {
    const { database } = opened.node
    await requireSettings(database)
    if (flags.down === true) return takeBack(shell, database, flags.yes === true)
    if (flags.status === true || flags.dryRun === true) return shownStatus(await migrationStatus(database, migrations), flags)
    const ran = await migrateUp(database, migrations, () => clock.now())
    return { json: { done: ran }, text: ran.length === 0 ? 'The database is up to date.' : ['Migrated:', ...ran].join('\n  ') }
  })

/** The output if the instance does not exist. The command must not create it, because it only reads. */
const migrateNothing = (flags: MigrateFlags): Output =>
  flags.down === true ? nothingToUndo : shownStatus({ done: [], pending: Object.keys(migrations).sort() }, flags)

export const migrateCommand = (program: GatehouseCommand, shell: Shell): void => {
  program
    .command('migrate')
    .inGroup('Start and run')
    .description('Bring the database schema up to date.')
    .addOption(new Option('--dry-run', 'only name what would run').conflicts(['status', 'down']))
    .addOption(new Option('--status', 'list completed and pending migrations').conflicts('down'))
    .option('--down', 'undo the last migration, with its data')
    .option('--yes', 'with --down: do not ask')
    .examples('migrate --dry-run', 'migrate --status -o csv', 'migrate --down')
    .action(async (flags: MigrateFlags) => {
      const isLooking = flags.dryRun === true || flags.status === true || flags.down === true
      if (isLooking && !hasFiles(loadConfiguration(shell.terminal, shell.globals()))) return shell.print(migrateNothing(flags))
      return shell.withApp(true, (opened) => migrate(shell, opened, flags))
    })
}
