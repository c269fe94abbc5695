import { z } from 'zod'
import { sortedPage } from '../core/page.ts'
import { instant, plainText } from '../core/wire.ts'
import { contract, stream } from '../http/contract.ts'

export const backupStatuses = ['pending', 'running', 'made', 'failed', 'deleted'] as const
export const backupReasons = ['command', 'call', 'schedule'] as const

/** A backup of the instance, as the database remembers it. */
export const Backup = z
  .object({
    id: z.string(),
    /** `made`: written and read again without a fault; `deleted`: retention has deleted its file. */
    status: z.enum(backupStatuses),
    reason: z.enum(backupReasons),
    startedAt: instant,
    endedAt: instant.nullable(),
    /** Path on the node that wrote it. */
    file: z.string().nullable(),
    bytes: z.number().nullable(),
    rows: z.number().nullable(),
    /** Hash at the end of the file, by which it is recognised. */
    sha256: z.string().nullable(),
    /** True when the master secret is in it, sealed under a passphrase. */
    hasKeys: z.boolean().nullable(),
    /** Why there is none. */
    error: z.string().nullable(),
  })
  .meta({ id: 'Backup' })

const byId = z.object({ id: plainText(64, 1) })

export const backupContract = contract('Backups', {
  adminListBackups: {
    method: 'GET',
    path: '/admin/backups',
    summary: 'Backups that were made, are under way, or failed',
    access: { permission: 'backups:read' },
    ...sortedPage('backups', Backup, { filter: { status: z.enum(backupStatuses).optional() }, sorts: ['startedAt'] }),
    errors: [],
  },
  adminCreateBackup: {
    method: 'POST',
    path: '/admin/backups',
    summary: 'Have a backup made in the configured directory',
    access: { permission: 'backups:create' },
    body: z.strictObject({}),
    response: Backup,
    errors: ['BACKUPS_ARE_NOT_CONFIGURED', 'BACKUP_IS_UNDER_WAY'],
  },
  adminGetBackup: {
    method: 'GET',
    path: '/admin/backups/:id',
    summary: 'One backup',
    access: { permission: 'backups:read' },
    params: byId,
    response: Backup,
    errors: ['BACKUP_NOT_FOUND'],
  },
  adminDownloadBackup: {
    method: 'GET',
    path: '/admin/backups/:id/content',
    changes: true,
    summary: 'The file of a backup, from the node that has it',
    access: { permission: 'backups:download', fresh: true },
    params: byId,
    response: stream('application/gzip'),
    errors: ['BACKUP_NOT_FOUND', 'BACKUP_IS_ELSEWHERE', 'BACKUP_DAMAGED'],
  },
})
