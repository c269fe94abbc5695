import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { can } from '../access/can.ts'
import type { Principal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import { coreErrors } from '../core/errors.ts'
import { backupErrors, backupEvents } from './contract.ts'
import * as store from './store/backups.ts'

/** The file of a backup, opened for reading. */
export interface BackupDownload {
  readonly fileName: string
  readonly chunks: AsyncIterable<Uint8Array>
}

/**
 * Opens the file of a backup, and records an audit event about the download. Throws FORBIDDEN and BACKUP_NOT_FOUND, BACKUP_IS_ELSEWHERE
 * if the file is not in this node's directory, and BACKUP_DAMAGED if the length of the file is wrong.
 */
export type DownloadBackup = (principal: Principal, id: string) => Promise<BackupDownload>

const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as { code?: string }).code ?? '')

/** Makes the function that downloads backups. It only reads files in `directory`. */
export const createDownload =
  ({ db, transact, events }: Pick<Core, 'db' | 'transact' | 'events'>, directory: string | undefined): DownloadBackup =>
  async (principal, id) => {
    if (!can(principal, 'backups:download')) throw coreErrors.error('FORBIDDEN')
    const row = await store.findBackup(db, id)
    if (row === undefined || row.status !== 'made' || row.file === null) throw backupErrors.error('BACKUP_NOT_FOUND')
    const elsewhere = backupErrors.error('BACKUP_IS_ELSEWHERE')
    if (directory === undefined || dirname(resolve(row.file)) !== resolve(directory)) throw elsewhere
    const fileName = basename(row.file)
    // Symbolic links are not followed, because they could lead out of the directory.
    const handle = await open(join(directory, fileName), constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
      throw isMissing(error) ? elsewhere : error
    })
    try {
      const found = await handle.stat()
      if (!found.isFile() || found.size !== row.bytes) throw backupErrors.error('BACKUP_DAMAGED')
      const { bytes, sha256, hasKeys } = row
      const data = { bytes, sha256: sha256 ?? '', hasKeys: hasKeys === true }
      await transact((tx) => events.record(tx, principal, backupEvents['backup.downloaded'], { subject: id, data }))
      // The stream closes the file when it ends, even if its reader stops before the first byte.
      return { fileName, chunks: handle.createReadStream({ end: bytes - 1 }) }
    } catch (error) {
      await handle.close()
      throw error
    }
  }
