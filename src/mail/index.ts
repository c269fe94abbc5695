import { join } from 'node:path'
import { z } from 'zod'
import type { BrandService } from '../brand/index.ts'
import { newestDataOf } from '../core/events/store.ts'
import { createMailTexts } from '../core/mail-texts.ts'
import { checkTextFiles } from '../core/own-texts.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import { bind, documented } from '../http/handlers.ts'
import type { RateLimits } from '../limits/index.ts'
import type { Tally } from '../statistics/index.ts'
import { mailCommands } from './cli.ts'
import { type MailConfig, mailConfig } from './config.ts'
import { mailContract, mailDocumentation, mailErrors, mailEvents } from './contract.ts'
import { frameOf } from './frame.ts'
import { ehloName, parseMailbox } from './rules.ts'
import { createMailSamples, type MailSample, type MailSamples } from './samples.ts'
import { createMail, type Mail, type MailInfo, type NewMail, type Requester } from './service.ts'
import type { Fact, MailContent } from './template.ts'
import { fileTransport, smtpTransport } from './transport.ts'

/** What the newest event of a test mail says. */
const TestSent = z.object({ isAccepted: z.boolean() })
const isTestAccepted = (data: string | undefined) => data !== undefined && TestSent.parse(JSON.parse(data)).isAccepted

const view = ({ toAddress: address, ...mail }: MailInfo) => ({ ...mail, address })

/** The outbox for operators. */
const mailRoutes = (mail: Mail, samples: MailSamples) =>
  bind(documented(mailContract, mailDocumentation), {
    listMails: async (_principal, { query }) => {
      const { rows, next } = await mail.page(query)
      return { mails: rows.map(view), next }
    },
    listMailTemplates: () => ({ templates: samples.kinds().map((kind) => ({ kind })) }),
    previewMail: (principal, { params: { kind }, query: { language, name, color } }) => ({
      kind,
      ...samples.render(principal, kind, language, { name, color: color === undefined ? undefined : `#${color}` }),
    }),
    sendTestMail: async (principal, { body }) => {
      const { address, accepted: isAccepted, answer } = await mail.tryOut(principal, body.address)
      return { address, isAccepted, answer }
    },
    retryMail: async (principal, { params }) => view(await mail.requeue(principal, params.id)),
  })

export type { Fact, Mail, MailContent, MailSample, MailSamples, NewMail, Requester }

interface Needs {
  readonly brand: BrandService
  readonly rateLimits: RateLimits | undefined
  readonly tally?: Tally
}

const build = (base: Base, config: MailConfig & { readonly dataDir: string }, { brand, rateLimits, tally }: Needs) => {
  const sender = parseMailbox(config.mailFrom ?? '') ?? {
    name: brand.current().name,
    address: `no-reply@${new URL(base.url).hostname}`,
  }
  const transport =
    config.smtpUrl === undefined
      ? fileTransport(join(config.dataDir, 'outbox'), sender, base.log)
      : smtpTransport({
          url: config.smtpUrl,
          from: sender,
          name: ehloName(base.url),
          timeoutSeconds: config.mail.timeoutSeconds,
          allowPlaintext: config.smtpAllowPlaintext,
        })
  const isLimited = rateLimits !== undefined
  const mailTexts = createMailTexts()
  const { mail, sending } = createMail({
    ...base,
    config: config.mail,
    transport,
    publicUrl: base.url,
    frame: () => frameOf(brand.current(), base.url, mailTexts('frame')),
    isLimited,
    tally,
  })
  /** Without a mail server mails are files, which count as sent and reach nobody. */
  const hasMailGoneOut = async () =>
    config.smtpUrl !== undefined &&
    ((await mail.list('sent', 1)).length > 0 || isTestAccepted(await newestDataOf(base.db, 'mail.test_sent')))
  const mailSamples = createMailSamples({ ...base, brand, mailTexts })
  return {
    api: { mail, mailSamples, mailTexts },
    routes: mailRoutes(mail, mailSamples),
    tasks: [sending],
    setupSteps: [{ name: 'mail', keys: [], look: async () => ({ isDone: await hasMailGoneOut() }) }],
  } satisfies Built
}

export const mailFeature = defineFeature({
  name: 'mail',
  config: mailConfig,
  check: checkTextFiles,
  errors: mailErrors.table,
  events: mailEvents,
  commands: [mailCommands],
  build,
})
