import { z } from 'zod'
import type { Core } from '../core/core.ts'
import { parseFlags, UsageError } from '../core/terminal.ts'
import type { Cli, Commands } from '../feature.ts'
import type { Restoring, Start } from './configuration.ts'
import type { BackupConfig } from './contract.ts'
import type { BackupContent } from './file/read.ts'
import type { Choice } from './keys.ts'
import type { Restore, Restored } from './restore.ts'
import type { Backups } from './service.ts'

interface Needs {
  readonly core: Pick<Core, 'remedies'>
  readonly backups: Backups
  readonly restore: Restore
  readonly prepareStart: (part: Pick<Restoring, 'header' | 'secretFile'>) => Start
  readonly config: {
    readonly dataDir: string
    readonly databaseUrl?: string | undefined
    readonly secret: readonly string[]
    readonly backup: BackupConfig
  }
}

/** What `restore` needs. Its parts work without a built application. */
interface RestoreParts {
  readonly read: (file: string) => Promise<BackupContent>
  readonly choose: (
    content: BackupContent,
    place: Needs['config'],
    wanted: { withoutKeys: boolean; secretTo: string | undefined; askPassphrase: () => Promise<string> },
  ) => Promise<Choice>
  /** Writes the master secrets to a file. If the file exists with other secrets, that file is renamed, and its new name is returned. */
  readonly writeSecrets: (path: string, secrets: readonly string[]) => Promise<string | undefined>
}

const Backup = z.object({ to: z.string().min(1).optional(), withoutKeys: z.boolean(), passphraseStdin: z.boolean() })
const RestoreFlags = z.object({
  withoutKeys: z.boolean(),
  passphraseStdin: z.boolean(),
  secretTo: z.string().min(1).optional(),
  resumeQueue: z.boolean(),
  keepAccess: z.boolean(),
})

const askPassphrase = async (cli: Cli<Needs>, fromStdin: boolean): Promise<string> =>
  cli.readSecret('Passphrase of the backup', fromStdin, '--passphrase-stdin or GATEHOUSE_BACKUP_PASSPHRASE_FILE')

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')

/**
 * The lines about cancelled deliveries in the output of `restore`. `held` counts the deliveries by kind, and `list` is the command that
 * lists them.
 */
const heldText = (held: Readonly<Record<string, number>>, list: string): readonly string[] =>
  Object.keys(held).length === 0
    ? []
    : [
        `Held back, because it may have been sent since the backup: ${listed(held)}.`,
        `${list} names them; requeue-task has one sent, and drop-task deletes it.`,
      ]

const accessText = ({ ended, comingBack }: Pick<Restored, 'ended' | 'comingBack'>, isKept: boolean): readonly string[] => [
  ...(isKept ? ['Sessions, tokens and links are those of the backup, including ones that were ended since.'] : []),
  ...(Object.keys(ended).length === 0 ? [] : [`Ended, because some may have been ended since the backup: ${listed(ended)}.`]),
  ...Object.entries(comingBack).flatMap(([name, list]) =>
    list.length === 0 ? [] : [`${name}:`, ...list.map((one) => `  ${one}`)],
  ),
]

export const createBackupCommands =
  ({ read, choose, writeSecrets }: RestoreParts): Commands<Needs> =>
  (program, cli) => {
    program
      .command('backup')
      .description(
        'Write a backup of the whole instance to a file, beside running daemons, and read it again. With a passphrase it holds the master secret, sealed.',
      )
      .inGroup('Instance')
      .option('--to <path>', 'file or directory; backup.directory of the configuration when not given')
      .option('--without-keys', 'leave the master secret out: a restore then needs it from elsewhere', false)
      .option('--passphrase-stdin', 'read the passphrase for the master secret from standard input', false)
      .examples(
        'backup --to /var/backups/gatehouse/',
        'backup --to before-upgrade.jsonl.gz --without-keys',
        'backup --to backup.jsonl.gz --passphrase-stdin --json',
      )
      .action(async (flags: unknown) => {
        const { to, withoutKeys, passphraseStdin } = parseFlags(Backup, flags)
        await cli.run(async ({ backups, config }, principal) => {
          const passphrase = withoutKeys
            ? undefined
            : passphraseStdin
              ? await askPassphrase(cli, true)
              : (config.backup.passphrase ?? (config.backup.withoutKeys ? undefined : await askPassphrase(cli, false)))
          if (passphrase !== undefined && passphrase.length < 12)
            throw new UsageError('the passphrase must have at least 12 characters; or pass --without-keys')
          const made = await backups.make(principal, { to, passphrase })
          const { file, bytes, rows, sha256, hasKeys, secrets } = made
          const keys = hasKeys
            ? 'The master secret is in it, sealed under the passphrase.'
            : 'The master secret is not in it: keep GATEHOUSE_SECRET, or the file "secret" of the data directory, elsewhere.'
          const rest =
            secrets.length === 0 ? [] : [`Keep these secrets of the configuration, which are not in it: ${secrets.join(', ')}.`]
          return {
            json: { file, bytes, rows, sha256, hasKeys, secrets },
            text: [`${file}: ${rows} rows, ${bytes} bytes, verified.`, `SHA-256 at its end: ${sha256}`, keys, ...rest].join('\n'),
          }
        })
      })
    program
      .command('restore')
      .description(
        'Fill an empty database, SQLite or PostgreSQL, from a backup of either. The file is verified before anything is written, and all is written or nothing.',
      )
      .inGroup('Instance')
      .argument('<file>', 'the backup')
      .option('--passphrase-stdin', 'read the passphrase of the backup from standard input', false)
      .option('--without-keys', 'use the configured master secret instead of the one in the backup', false)
      .option('--secret-to <file>', 'write the master secret of the backup to this file, for GATEHOUSE_SECRET_FILE')
      .option(
        '--resume-queue',
        'go on with mails and webhooks that were waiting: only when nothing was sent since the backup',
        false,
      )
      .option(
        '--keep-access',
        'keep sessions, tokens and other access: for a move between databases, if none was ended since the backup',
        false,
      )
      .examples(
        'restore gatehouse-20261122T033000Z-Ab3dEf.jsonl.gz',
        'restore before-upgrade.jsonl.gz --without-keys --database-url postgres://gatehouse@db/gatehouse',
        'restore backup.jsonl.gz --passphrase-stdin --secret-to gatehouse.secret',
      )
      .action(async (file: string, flags: unknown) => {
        const { withoutKeys, passphraseStdin, secretTo, resumeQueue, keepAccess } = parseFlags(RestoreFlags, flags)
        const content = await read(file)
        let choice: Choice | undefined
        await cli.create(
          async (config) => {
            const { passphrase } = config.backup
            choice = await choose(content, config, {
              withoutKeys,
              secretTo,
              askPassphrase: () =>
                passphraseStdin || passphrase === undefined ? askPassphrase(cli, passphraseStdin) : Promise.resolve(passphrase),
            })
            return choice.isConfigured ? undefined : choice.secrets
          },
          async ({ core, restore, prepareStart }, principal) => {
            const { writeTo, secrets } = choice ?? {}
            let kept: string | undefined
            const restored = await restore(principal, {
              ...{ file, content, isQueueHeld: !resumeQueue, isAccessKept: keepAccess },
              beforeCommit: async () => {
                if (writeTo !== undefined && secrets !== undefined) kept = await writeSecrets(writeTo, secrets)
              },
            })
            const { header } = content
            const start = prepareStart({ header, secretFile: secretTo })
            const lines = [
              `Restored ${restored.rows} rows of ${restored.tables} tables, as they were at ${header.madeAt}.`,
              ...(restored.migrated.length === 0 ? [] : [`The backup was older; migrated: ${restored.migrated.join(', ')}.`]),
              ...(writeTo === undefined ? [] : [`The master secret is in ${writeTo}.`]),
              ...(kept === undefined ? [] : [`The one that was there is now ${kept}.`]),
              ...heldText(restored.held, core.remedies.listDeadTasks()),
              ...accessText(restored, keepAccess),
              ...(start.file === undefined
                ? []
                : [`The configuration of the backup is in ${start.file}, without its secrets: check it.`]),
              `Start it with: ${start.command}`,
            ]
            const { madeAt, gatehouse, database, url } = header
            return {
              json: {
                ...restored,
                madeAt,
                gatehouse,
                from: database,
                url,
                secretFile: writeTo ?? null,
                configurationFile: start.file ?? null,
                next: [start.command],
              },
              text: lines.join('\n'),
            }
          },
        )
      })
  }
