import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { z } from 'zod'
import { can } from '../access/can.ts'
import type { Principal, SystemPrincipal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import type { Total } from '../core/db/count.ts'
import type { Database, Tx } from '../core/db/database.ts'
import { AppError, coreErrors } from '../core/errors.ts'
import { cursorOf, cutPage, nextAfter } from '../core/page.ts'
import { hourSeconds } from '../core/time.ts'
import type { BackupConfig } from './contract.ts'
import { type Backup, type backupContract, backupErrors, backupEvents } from './contract.ts'
import { makeBackupDirectory } from './file/write.ts'
import { fileNameOf, isOld } from './rules/schedule.ts'
import * as store from './store/backups.ts'
import type { BackupFile, WriteBackup } from './write.ts'

type Reason = store.BackupRow['reason']
type View = z.output<typeof Backup>
type ListQuery = z.output<(typeof backupContract)['adminListBackups']['query']>

export interface BackupCommand {
  /** The file or directory to write to. If undefined, it is the configured directory. */
  readonly to: string | undefined
  /** The passphrase that seals the master secrets in the backup. If undefined, the backup does not contain them. */
  readonly passphrase: string | undefined
}

type BackupProblem =
  | { readonly code: 'backup-failed'; readonly at: string; readonly why: string }
  | { readonly code: 'backup-missing' }
  | { readonly code: 'backup-old'; readonly at: string }

export interface Backups {
  /** Makes a backup immediately. Throws BACKUPS_ARE_NOT_CONFIGURED, BACKUP_FILE_EXISTS and BACKUP_NOT_WRITTEN. */
  make(principal: SystemPrincipal, command: BackupCommand): Promise<BackupFile>
  /** Puts a backup to the configured directory into the queue. Throws BACKUPS_ARE_NOT_CONFIGURED and BACKUP_IS_UNDER_WAY. */
  request(principal: Principal, reason: Reason): Promise<View>
  /** Makes a backup from the queue. If it is called several times, the backup is made only once. Returns true if there is a new good backup. */
  perform(principal: SystemPrincipal, id: string, signal: AbortSignal): Promise<boolean>
  list(principal: Principal, query: ListQuery): Promise<{ backups: View[]; next: string | null; total: Total | null }>
  /** Returns a backup by its id. Throws BACKUP_NOT_FOUND. */
  get(principal: Principal, id: string): Promise<View>
  /** Describes what is wrong with the backups, for example that the last one is too old. Undefined if nothing is wrong. */
  problem(): Promise<BackupProblem | undefined>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'events' | 'log'> {
  readonly database: Pick<Database, 'acceptsWrites'>
  readonly config: BackupConfig
  readonly write: WriteBackup
  /** Puts a task that calls `perform` into the queue. */
  readonly enqueue: (tx: Tx, id: string) => Promise<unknown>
}

const viewOf = ({ rowCount, ...row }: store.BackupRow): View => ({ ...row, rows: rowCount })

/** If a backup takes longer than this, in seconds, it is recorded as failed, because the node that made it no longer exists. */
const longestSeconds = 12 * hourSeconds

const isDirectory = (path: string) => path.endsWith('/') || (existsSync(path) && statSync(path).isDirectory())

export const createBackups = ({ db, transact, clock, random, events, log, database, config, write, enqueue }: Deps): Backups => {
  const openRow = (reason: Reason): store.BackupRow => ({
    id: random.id(),
    status: 'pending',
    reason,
    startedAt: clock.now(),
    ...{ endedAt: null, file: null, bytes: null, rowCount: null, sha256: null, hasKeys: null, error: null },
  })
  const fileIn = (directory: string) => join(directory, fileNameOf(clock.now(), random.token(6)))
  const madePatch = ({ file, bytes, rows, sha256, hasKeys }: BackupFile) => ({
    status: 'made' as const,
    endedAt: clock.now(),
    ...{ file, bytes, rowCount: rows, sha256, hasKeys },
  })
  const failedPatch = (error: unknown) => ({
    status: 'failed' as const,
    endedAt: clock.now(),
    error: (error instanceof AppError ? error.message : 'an unexpected error, which the log names').slice(0, 500),
  })
  const recordMade = (tx: Tx, principal: SystemPrincipal, id: string, reason: Reason, made: BackupFile) => {
    const { bytes, rows, sha256, hasKeys } = made
    return events.record(tx, principal, backupEvents['backup.made'], {
      subject: id,
      data: { reason, bytes, rows, sha256, hasKeys },
    })
  }
  const recordFailed = (tx: Tx, principal: SystemPrincipal, id: string, reason: Reason, error: unknown) =>
    events.record(tx, principal, backupEvents['backup.failed'], {
      subject: id,
      data: { reason, error: error instanceof AppError ? error.code : 'INTERNAL_SERVER_ERROR' },
    })
  const requireDirectory = () => {
    if (config.directory === undefined)
      throw backupErrors.error('BACKUPS_ARE_NOT_CONFIGURED', {
        message: 'backup.directory is not set. Set it (GATEHOUSE_BACKUP_DIRECTORY), or pass --to <file or directory>.',
      })
    return config.directory
  }

  return {
    make: async (principal, { to = requireDirectory(), passphrase }) => {
      const row = openRow('command')
      const file = isDirectory(to) || to === config.directory ? fileIn(to) : to
      try {
        if (to.endsWith('/')) makeBackupDirectory(to)
        const made = await write({ to: file, passphrase })
        // Before an upgrade, the database may have an older schema than this version of gatehouse needs. The backup is then made, but not
        // recorded in the database.
        if (database.acceptsWrites())
          await transact(async (tx) => {
            await store.insertBackup(tx, { ...row, ...madePatch(made) })
            await recordMade(tx, principal, row.id, 'command', made)
          })
        return made
      } catch (error) {
        if (!database.acceptsWrites()) throw error
        await transact(async (tx) => {
          await store.insertBackup(tx, { ...row, ...failedPatch(error) })
          await recordFailed(tx, principal, row.id, 'command', error)
        }).catch((err: unknown) => log.error({ err }, 'a failed backup could not be recorded'))
        throw error
      }
    },
    request: async (principal, reason) => {
      const row = openRow(reason)
      await transact(async (tx) => {
        if (!can(principal, 'backups:create')) throw coreErrors.error('FORBIDDEN')
        requireDirectory()
        await store.lockBackups(tx)
        await store.failOpen(tx, 'the node that made it went away', clock.now(), clock.after(-longestSeconds))
        const open = (await store.findNewest(tx, 'pending')) ?? (await store.findNewest(tx, 'running'))
        if (open !== undefined) throw backupErrors.error('BACKUP_IS_UNDER_WAY')
        await store.insertBackup(tx, row)
        await enqueue(tx, row.id)
        if (reason === 'call') await events.record(tx, principal, backupEvents['backup.requested'], { subject: row.id, data: {} })
      })
      return viewOf(row)
    },
    perform: async (principal, id, signal) => {
      const row = await store.findBackup(db, id)
      const isOpen = await transact((tx) => store.updateOpen(tx, id, { status: 'running' }))
      if (row === undefined || !isOpen) return false
      const { reason } = row
      try {
        const passphrase = config.withoutKeys ? undefined : config.passphrase
        const made = await write({ to: fileIn(resolve(requireDirectory())), passphrase, signal })
        return await transact(async (tx) => {
          const isFirst = await store.updateOpen(tx, id, madePatch(made))
          if (isFirst) await recordMade(tx, principal, id, reason, made)
          return isFirst
        })
      } catch (error) {
        // This node is stopping or has lost the task. The next worker begins the backup again.
        if (signal.aborted) throw error
        log.error({ err: error, backup: id }, 'backup failed')
        await transact(async (tx) => {
          if (await store.updateOpen(tx, id, failedPatch(error))) await recordFailed(tx, principal, id, reason, error)
        })
        return false
      }
    },
    list: async (principal, query) => {
      if (!can(principal, 'backups:read')) throw coreErrors.error('FORBIDDEN')
      const cursor = cursorOf(query)
      const { rows: found, total } = await store.listBackups(db, query.status, cursor)
      const { rows, next } = cutPage(found, query.limit, ({ startedAt, id }) =>
        nextAfter(query, { value: startedAt.getTime(), id }),
      )
      return { backups: rows.map(viewOf), next, total }
    },
    get: async (principal, id) => {
      if (!can(principal, 'backups:read')) throw coreErrors.error('FORBIDDEN')
      const row = await store.findBackup(db, id)
      if (row === undefined) throw backupErrors.error('BACKUP_NOT_FOUND')
      return viewOf(row)
    },
    problem: async () => {
      const made = await store.findNewest(db, 'made')
      const failed = await store.findNewest(db, 'failed')
      if (failed !== undefined && (made === undefined || failed.startedAt > made.startedAt))
        return { code: 'backup-failed', at: failed.startedAt.toISOString(), why: failed.error ?? '' }
      if (made === undefined) return { code: 'backup-missing' }
      const everyHours = config.directory === undefined ? 0 : config.everyHours
      return isOld(made.startedAt, everyHours, clock.now()) ? { code: 'backup-old', at: made.startedAt.toISOString() } : undefined
    },
  }
}
