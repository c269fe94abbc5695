import { join } from 'node:path'
import { type Base, defineFeature } from '../feature.ts'
import type { RateLimits } from '../limits/index.ts'
import { mailCommands } from './cli.ts'
import { type MailConfig, mailConfig } from './config.ts'
import { mailErrors } from './errors.ts'
import { mailEvents } from './events.ts'
import { mailRoutes } from './routes.ts'
import { parseMailbox } from './rules.ts'
import { createMail, type Mail, type NewMail, type Requester } from './service.ts'
import type { MailContent } from './template.ts'
import { fileTransport, smtpTransport } from './transport.ts'

export type { Mail, MailContent, NewMail, Requester }

const build = (
  base: Base,
  config: MailConfig & { readonly dataDir: string },
  { rateLimits }: { readonly rateLimits: RateLimits | undefined },
) => {
  const sender = parseMailbox(config.mailFrom ?? '') ?? { name: 'gatehouse', address: `no-reply@${new URL(base.url).hostname}` }
  const transport =
    config.smtpUrl === undefined
      ? fileTransport(join(config.dataDir, 'outbox'), sender, base.log)
      : smtpTransport({
          url: config.smtpUrl,
          from: sender,
          timeoutSeconds: config.mail.timeoutSeconds,
          allowPlaintext: config.smtpAllowPlaintext,
        })
  const isLimited = rateLimits !== undefined
  const { mail, sending } = createMail({ ...base, config: config.mail, transport, publicUrl: base.url, isLimited })
  return { api: { mail }, routes: mailRoutes(mail), tasks: [sending] }
}

export const mailFeature = defineFeature({
  name: 'mail',
  config: mailConfig,
  errors: mailErrors.table,
  events: mailEvents,
  commands: [mailCommands],
  build,
})
