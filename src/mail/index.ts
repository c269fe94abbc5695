import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Db, Transact } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import type { Log } from '../core/log.ts'
import type { Feature } from '../feature.ts'
import type { MailConfig } from './config.ts'
import { mailErrors } from './errors.ts'
import { mailJobs } from './jobs.ts'
import { parseMailbox } from './rules.ts'
import { type Asker, createMail, type Mail, type NewMail } from './service.ts'
import { sealedColumns } from './store.ts'
import type { MailWords } from './template.ts'
import { fileTransport, smtpTransport } from './transport.ts'

export type { Asker, Mail, MailWords, NewMail }

interface Deps {
  readonly db: Db
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly secrets: Secrets
  readonly log: Log
  readonly config: MailConfig & { readonly url: string; readonly dataDir: string }
  /** Whether mails to one address are limited (security baseline, section 7). */
  readonly isLimited: boolean
}

export const mailFeature = ({ config, isLimited, ...core }: Deps): Feature & { api: Mail } => {
  const sender = parseMailbox(config.mailFrom ?? '') ?? { name: 'gatehouse', address: `no-reply@${new URL(config.url).hostname}` }
  const transport =
    config.smtpUrl === undefined
      ? fileTransport(join(config.dataDir, 'outbox'), sender, core.log)
      : smtpTransport({
          url: config.smtpUrl,
          from: sender,
          timeoutSeconds: config.mail.timeoutSeconds,
          allowPlaintext: config.smtpAllowPlaintext,
        })
  const mail = createMail({
    ...core,
    config: config.mail,
    transport,
    publicUrl: config.url,
    isLimited,
  })
  return { api: mail, jobs: mailJobs(mail), errors: mailErrors.table, sealedColumns }
}
