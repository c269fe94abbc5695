import { z } from 'zod'

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
      .describe('Hours between two scheduled backups; 0: they are only made when asked for.'),
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of the day in UTC such as 03:30')
      .optional()
      .describe(
        'Time of the day in UTC, such as 03:30, from which the hours are counted. Without it they are counted from the last backup.',
      ),
    keep: z
      .strictObject({
        count: z.int().min(1).max(10_000).default(7).describe('The newest backups of the schedule, and of calls, that are kept.'),
        days: z
          .int()
          .min(1)
          .max(3650)
          .optional()
          .describe(
            'Days for which backups are kept, however many there are. A backup is deleted when it is older and not among the newest.',
          ),
      })
      .prefault({}),
    passphrase: z.string().min(12, 'at least 12 characters').optional().meta({
      secret: true,
      description: 'Passphrase under which the master secret is sealed in backups, at least 12 characters.',
    }),
    withoutKeys: z
      .boolean()
      .default(false)
      .describe('Leave the master secret out of scheduled backups: restoring one then needs the secret from elsewhere.'),
  })
  .prefault({})

export type BackupConfig = z.output<typeof backupConfig>
