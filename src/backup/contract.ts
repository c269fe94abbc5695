import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { defineEvents } from '../core/events/types.ts'
import { counted, sortedPage } from '../core/page.ts'
import { instant, plainText } from '../core/wire.ts'
import { contract, stream } from '../http/contract.ts'

export const backupStatuses = ['pending', 'running', 'made', 'failed', 'deleted'] as const
export const backupReasons = ['command', 'call', 'schedule'] as const

/** A backup of the instance, as the database records it. */
export const Backup = z
  .object({
    id: z.string(),
    /** `made`: the file is written and verified. `deleted`: retention has deleted the file. */
    status: z.enum(backupStatuses),
    reason: z.enum(backupReasons),
    startedAt: instant,
    endedAt: instant.nullable(),
    /** The path of the file on the node that wrote it. */
    file: z.string().nullable(),
    bytes: z.number().nullable(),
    rows: z.number().nullable(),
    /** The hash at the end of the file. It identifies the file. */
    sha256: z.string().nullable(),
    /** True if the file contains the master secrets, sealed with a passphrase. */
    hasKeys: z.boolean().nullable(),
    /** Why the backup failed. */
    error: z.string().nullable(),
  })
  .meta({ id: 'Backup' })

const byId = z.object({ id: plainText(64, 1) })

export const backupContract = contract('Backups', {
  adminListBackups: {
    method: 'GET',
    path: '/admin/backups',
    summary: 'List the backups: finished, unfinished and failed',
    access: { permission: 'backups:read' },
    ...counted(sortedPage('backups', Backup, { filter: { status: z.enum(backupStatuses).optional() }, sorts: ['startedAt'] })),
    errors: [],
  },
  adminCreateBackup: {
    method: 'POST',
    path: '/admin/backups',
    summary: 'Request a backup in the configured directory',
    access: { permission: 'backups:create' },
    body: z.strictObject({}),
    response: Backup,
    errors: ['BACKUPS_ARE_NOT_CONFIGURED', 'BACKUP_IS_UNDER_WAY'],
  },
  adminGetBackup: {
    method: 'GET',
    path: '/admin/backups/:id',
    summary: 'Get one backup',
    access: { permission: 'backups:read' },
    params: byId,
    response: Backup,
    errors: ['BACKUP_NOT_FOUND'],
  },
  adminDownloadBackup: {
    method: 'GET',
    path: '/admin/backups/:id/content',
    changes: true,
    summary: 'Download the file of a backup, from the node that has it',
    access: { permission: 'backups:download', fresh: true },
    params: byId,
    response: stream('application/gzip'),
    errors: ['BACKUP_NOT_FOUND', 'BACKUP_IS_ELSEWHERE', 'BACKUP_DAMAGED'],
  },
})

export const backupErrors = errorsOf({
  BACKUPS_ARE_NOT_CONFIGURED: [409, 'Backups are not configured'],
  BACKUP_IS_UNDER_WAY: [409, 'Backup is under way'],
  BACKUP_FILE_EXISTS: [409, 'Backup file exists'],
  BACKUP_NOT_WRITTEN: [500, 'Backup not written'],
  BACKUP_NOT_FOUND: [404, 'Backup not found'],
  BACKUP_IS_ELSEWHERE: [409, 'Backup is elsewhere'],
  BACKUP_DAMAGED: [409, 'Backup damaged'],
  BACKUP_NOT_SUPPORTED: [409, 'Backup not supported'],
  WRONG_PASSPHRASE: [403, 'Wrong passphrase'],
  MASTER_SECRET_DOES_NOT_FIT: [409, 'Master secret does not fit'],
  DATABASE_IS_NOT_EMPTY: [409, 'Database is not empty'],
})

export const backupEvents = defineEvents({
  'backup.requested': {
    summary: 'The actor requested a backup, which a node then makes.',
    subject: 'backup',
    data: z.object({}),
  },
  'backup.made': {
    summary: 'A backup was written, and reading it again found no fault.',
    subject: 'backup',
    data: z.object({
      reason: z.enum(['command', 'call', 'schedule']),
      bytes: z.number(),
      rows: z.number(),
      sha256: z.string(),
      /** True if the file contains the master secrets, sealed with a passphrase. */
      hasKeys: z.boolean(),
    }),
  },
  'backup.failed': {
    summary: 'A backup could not be written, or reading it again found a fault.',
    subject: 'backup',
    data: z.object({ reason: z.enum(['command', 'call', 'schedule']), error: z.string() }),
  },
  'backup.downloaded': {
    summary: 'The actor began to download a backup, which contains all data of the instance.',
    subject: 'backup',
    data: z.object({ bytes: z.number(), sha256: z.string(), hasKeys: z.boolean() }),
  },
  'instance.restored': {
    summary:
      'The database was filled from a backup. `held` counts the deliveries that were held back so that they are not sent twice. `ended` counts the sessions, tokens and codes that were ended.',
    subject: 'instance',
    data: z.object({
      madeAt: z.string(),
      gatehouse: z.string(),
      from: z.enum(['sqlite', 'postgres']),
      rows: z.number(),
      sha256: z.string(),
      held: z.record(z.string(), z.number()),
      ended: z.record(z.string(), z.number()).default({}),
    }),
  },
})

export const backupConfig = z
  .strictObject({
    directory: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Directory for scheduled backups, and for `gatehouse backup` without `--to`. A node without a directory makes no backups.',
      ),
    everyHours: z
      .int()
      .min(0)
      .max(720)
      .default(24)
      .describe('Hours between two scheduled backups; 0: they are only made when asked for.')
      .meta({ weakened: 'never' }),
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of the day in UTC such as 03:30')
      .optional()
      .describe(
        'Time of the day in UTC, such as 03:30, from which the hours are counted. Without it they are counted from the last backup.',
      )
      .meta({ weakened: 'never' }),
    keep: z
      .strictObject({
        count: z
          .int()
          .min(1)
          .max(10_000)
          .default(7)
          .describe('The newest backups of the schedule, and of calls, that are kept.')
          .meta({ weakened: 'never' }),
        days: z
          .int()
          .min(1)
          .max(3650)
          .optional()
          .describe(
            'Days for which backups are kept, however many there are. A backup is deleted when it is older and not among the newest.',
          )
          .meta({ weakened: 'never' }),
      })
      .prefault({}),
    passphrase: z.string().min(12, 'at least 12 characters').optional().meta({
      secret: true,
      description: 'Passphrase under which the master secret is sealed in backups, at least 12 characters.',
    }),
    withoutKeys: z
      .boolean()
      .default(false)
      .describe('Leave the master secret out of scheduled backups: restoring one then needs the secret from elsewhere.')
      .meta({ weakened: 'never' }),
  })
  .prefault({})

export type BackupConfig = z.output<typeof backupConfig>

const made = {
  id: 'Yd0mZk1vXw0bT7mY5sR8uN2cD4eF6gH0',
  status: 'made' as const,
  reason: 'schedule' as const,
  startedAt: '2026-11-22T03:30:00.000Z',
  endedAt: '2026-11-22T03:30:04.000Z',
  file: '/var/backups/gatehouse/gatehouse-20261122T033000Z-Ab3dEf.jsonl.gz',
  bytes: 183_204,
  rows: 9_412,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  hasKeys: true,
  error: null,
}

/** Descriptions and examples for the API document. Pages do not load them. */
export const backupDocumentation = {
  adminListBackups: {
    description:
      'Newest first. A backup with the status `deleted` is still listed, but retention (`backup.keep`) has deleted its file.',
    example: { response: { backups: [made], next: null, total: null } },
  },
  adminGetBackup: { description: 'Returns the backup as the list shows it.', example: { response: made } },
  adminDownloadBackup: {
    description:
      'Only files in `backup.directory` of the answering node can be downloaded; others are refused with `BACKUP_IS_ELSEWHERE`. The ' +
      'call needs a session that started within `sessions.freshAgeSeconds`, so no API key can make it. It is recorded as ' +
      '`backup.downloaded`. No file contains the master secret in the clear: it is sealed with the passphrase, or left out.',
  },
  adminCreateBackup: {
    description:
      'Returns at once. A node with `backup.directory` writes the file a moment later and reads it again. After that, `GET ' +
      '/admin/backups` shows the status `made` or `failed`.',
    example: {
      body: {},
      response: {
        ...made,
        ...{ status: 'pending' as const, reason: 'call' as const, endedAt: null, file: null },
        ...{ bytes: null, rows: null, sha256: null, hasKeys: null },
      },
    },
  },
}
