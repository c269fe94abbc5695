import { bind, documented } from '../http/handlers.ts'
import { backupContract } from './contract.ts'
import { backupDocumentation } from './documentation.ts'
import type { Backups } from './service.ts'

export const backupRoutes = (backups: Backups) =>
  bind(documented(backupContract, backupDocumentation), {
    adminListBackups: (principal, { query }) => backups.list(principal, query),
    adminCreateBackup: (principal) => backups.request(principal, 'call'),
  })
