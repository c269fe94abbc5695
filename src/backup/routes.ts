import { Download } from '../http/contract.ts'
import { bind, documented } from '../http/handlers.ts'
import { backupContract } from './contract.ts'
import { backupDocumentation } from './documentation.ts'
import type { DownloadBackup } from './download.ts'
import type { Backups } from './service.ts'

export const backupRoutes = (backups: Backups, download: DownloadBackup) =>
  bind(documented(backupContract, backupDocumentation), {
    adminListBackups: (principal, { query }) => backups.list(principal, query),
    adminGetBackup: (principal, { params }) => backups.get(principal, params.id),
    adminDownloadBackup: async (principal, { params }) => {
      const { fileName, chunks } = await download(principal, params.id)
      return new Download(fileName, chunks)
    },
    adminCreateBackup: (principal) => backups.request(principal, 'call'),
  })
