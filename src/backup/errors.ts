import { errorsOf } from '../core/errors.ts'

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
