import { z } from 'zod'
import { systemPrincipal } from '../access/principal.ts'
import { type Check, defineFindings } from '../core/checks.ts'
import { masterSecrets } from '../core/master-secret.ts'
import { periodic, type TaskKind } from '../core/queue.ts'
import { systemRandom } from '../core/random.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import { Download } from '../http/contract.ts'
import { bind, documented } from '../http/handlers.ts'
import { createBackupCommands } from './cli.ts'
import { prepareStart, type Restoring } from './configuration.ts'
import { type BackupConfig, backupConfig, backupContract, backupDocumentation, backupErrors, backupEvents } from './contract.ts'
import type { DownloadBackup } from './download.ts'
import { createDownload } from './download.ts'
import { readBackup } from './file/read.ts'
import { chooseSecrets, writeSecrets } from './keys.ts'
import { createRestore, type Restore } from './restore.ts'
import { createBackupRetention } from './retention.ts'
import { isDue } from './rules/schedule.ts'
import { type Backups, createBackups } from './service.ts'
import { failOpen, findNewest } from './store/backups.ts'
import { createBackupWriter } from './write.ts'

const remedy = '{command} makes one now; backup.directory sets a schedule'
const findings = defineFindings({
  'backup-failed': { message: 'The last backup failed at {at}: {why}', remedy },
  'backup-missing': { message: 'No backup was ever made', remedy },
  'backup-old': { message: 'The last backup is of {at}', remedy },
})

/** Finds out whether the last backup is missing, too old or failed. `command` returns the command that makes a backup. */
const backupCheck = (backups: Pick<Backups, 'problem'>, command: () => string): Check => ({
  name: 'backup',
  texts: findings.texts,
  run: async () => {
    const problem = await backups.problem()
    if (problem === undefined) return []
    const { code, ...values } = problem
    return [findings.found('warning', code, { ...values, command: command() })]
  },
})

const backupRoutes = (backups: Backups, download: DownloadBackup) =>
  bind(documented(backupContract, backupDocumentation), {
    adminListBackups: (principal, { query }) => backups.list(principal, query),
    adminGetBackup: (principal, { params }) => backups.get(principal, params.id),
    adminDownloadBackup: async (principal, { params }) => {
      const { fileName, chunks } = await download(principal, params.id)
      return new Download(fileName, chunks)
    },
    adminCreateBackup: (principal) => backups.request(principal, 'call'),
  })

export type { Backups, Restore }

interface Config {
  readonly backup: BackupConfig
  readonly secret: readonly string[]
  readonly dataDir: string
}

/** How often the schedule is checked, in seconds. */
const lookSeconds = 300

const build = (base: Base, { backup: config, secret, dataDir }: Config) => {
  const { db, clock, random, queue } = base
  const write = createBackupWriter({ ...base, masterSecrets: () => masterSecrets({ secret, dataDir }, random) })
  const retention = config.directory === undefined ? undefined : createBackupRetention(base, config.directory, config.keep)
  const kind: TaskKind<unknown> = {
    kind: 'backup.make',
    payload: z.unknown(),
    handle: async ({ payload, signal }) => {
      const { id } = Payload.parse(payload)
      const isMade = await backups.perform(systemPrincipal(random.requestId()), id, signal)
      if (isMade) await retention?.sweep(signal)
      return undefined
    },
    maxAttempts: 3,
    backOffSeconds: [60, 600],
    leaseSeconds: 60,
    concurrency: 1,
    keepDeadSeconds: 86_400,
  }
  const backups = createBackups({
    ...base,
    config,
    write,
    enqueue: (tx, id) => queue.enqueue(tx, kind, { payload: { id }, key: 'backup', label: id }),
  })
  /** The command that makes a backup without asking a question, so that it can also run in scripts and containers. */
  const backupNow = () => {
    const hasKeys = config.passphrase !== undefined
    return base.remedies.backup(
      ...(config.directory === undefined ? ['--to', dataDir] : []),
      ...(hasKeys || config.withoutKeys ? [] : ['--without-keys']),
    )
  }
  const look = async () => {
    const made = await findNewest(db, 'made', false)
    const failed = await findNewest(db, 'failed', false)
    const last = { madeAt: made?.startedAt, failedAt: failed?.startedAt }
    if (!isDue({ everyHours: config.everyHours, at: config.at }, clock.now(), last)) return
    await backups.request(systemPrincipal(random.requestId()), 'schedule').catch((error: { code?: string }) => {
      if (error.code !== 'BACKUP_IS_UNDER_WAY') throw error
    })
  }
  return {
    api: {
      backups,
      restore: createRestore(base),
      prepareStart: (part: Pick<Restoring, 'header' | 'secretFile'>) =>
        prepareStart({ ...part, settings: base.settings(), dataDir, url: base.url }),
    },
    checks: [backupCheck(backups, backupNow)],
    setupSteps: [
      {
        name: 'backup',
        keys: ['backup.directory'],
        look: async () => ({ isDone: (await findNewest(db, 'made', false)) !== undefined }),
      },
    ],
    routes: backupRoutes(backups, createDownload(base, config.directory)),
    retentions: retention === undefined ? [] : [retention],
    tasks: config.directory === undefined ? [] : [kind, periodic('backup.schedule', lookSeconds, look)],
    onRestore: async (tx) => {
      await failOpen(tx, 'a backup of before the restore', clock.now())
      return {}
    },
  } satisfies Built
}

const Payload = z.object({ id: z.string() })

/** Backups of the whole instance in one format for both databases. A command, an API call or a schedule makes them. */
export const backupFeature = defineFeature({
  name: 'backup',
  config: { backup: backupConfig },
  errors: backupErrors.table,
  events: backupEvents,
  commands: [
    createBackupCommands({
      read: (file) => readBackup(file),
      choose: (content, place, wanted) => chooseSecrets({ content, place, random: systemRandom, ...wanted }),
      writeSecrets: (path, secrets) => writeSecrets(path, secrets, systemRandom),
    }),
  ],
  check: ({ backup }: { readonly backup: BackupConfig }, fail) => {
    if (backup.directory !== undefined && backup.passphrase === undefined && !backup.withoutKeys)
      fail(
        ['backup', 'passphrase'],
        'is missing: set it (GATEHOUSE_BACKUP_PASSPHRASE or _FILE), or leave the master secret out with backup.withoutKeys',
      )
  },
  build,
})
