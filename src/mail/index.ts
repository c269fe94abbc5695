import { join } from 'node:path'
import { z } from 'zod'
import type { BrandService } from '../brand/index.ts'
import type { Trial } from '../core/configuration.ts'
import { newestDataOf } from '../core/events/store.ts'
import { createMailTexts } from '../core/mail-texts.ts'
import { checkTextFiles } from '../core/own-texts.ts'
import { type Base, type Built, defineFeature } from '../feature.ts'
import { bind, documented } from '../http/handlers.ts'
import type { Images } from '../images/index.ts'
import type { RateLimits } from '../limits/index.ts'
import type { Tally } from '../statistics/index.ts'
import { mailCommands } from './cli.ts'
import { type MailConfig, mailConfig } from './config.ts'
import { mailContract, mailDocumentation, mailErrors, mailEvents } from './contract.ts'
import { frameOf } from './frame.ts'
import { createPacker } from './inline.ts'
import { type DeliveryError, ehloName, parseMailbox } from './rules.ts'
import { createMailSamples, type MailSample, type MailSamples } from './samples.ts'
import { createMail, type Mail, type MailInfo, type NewMail, type Requester } from './service.ts'
import type { Fact, MailContent } from './template.ts'
import { fileTransport, smtpTransport, type Transport } from './transport.ts'

/** The part of the newest event about a test mail that is read. */
const TestSent = z.object({ isAccepted: z.boolean() })
const isTestAccepted = (data: string | undefined) => data !== undefined && TestSent.parse(JSON.parse(data)).isAccepted

const view = ({ toAddress: address, ...mail }: MailInfo) => ({ ...mail, address })

/** The routes with which operators use the outbox. */
const mailRoutes = (mail: Mail, samples: MailSamples) =>
  bind(documented(mailContract, mailDocumentation), {
    listMails: async (_principal, { query }) => {
      const { rows, next, total } = await mail.page(query)
      return { mails: rows.map(view), next, total }
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

/** Tests a new mail server before the setting is stored. It connects to the server and signs in. */
const serverTrial = (transport: Transport, url: string): Trial => ({
  ...{ kind: 'mail-server', subject: new URL(url).host },
  touches: (key) => key === 'smtpUrl' || key === 'smtpAllowPlaintext',
  run: async () => {
    const session = await transport()
    try {
      await session.verify()
      return [{ step: 'connection', outcome: 'passed', message: 'The server takes mails', remedy: null }]
    } catch (error) {
      const { response, message } = error as DeliveryError
      const remedy = 'Compare host, port, user and password with the settings of the mail server'
      return [{ step: 'connection', outcome: 'failed', message: response ?? message, remedy }]
    } finally {
      session.close()
    }
  },
})

interface Needs {
  readonly brand: BrandService
  readonly images: Images
  readonly rateLimits: RateLimits | undefined
  readonly tally?: Tally
}

const build = (base: Base, config: MailConfig & { readonly dataDir: string }, { brand, images, rateLimits, tally }: Needs) => {
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
  const pack = createPacker(images)
  const { mail, sending } = createMail({
    ...base,
    config: config.mail,
    transport,
    publicUrl: base.url,
    frame: () => pack(frameOf(brand.current(), base.url, mailTexts('frame'))),
    isLimited,
    tally,
  })
  /** True if a mail has really been sent. Without a mail server, mails are written to files and count as sent, although they reach nobody. */
  const hasMailGoneOut = async () =>
    config.smtpUrl !== undefined &&
    ((await mail.list('sent', 1)).length > 0 || isTestAccepted(await newestDataOf(base.db, 'mail.test_sent')))
  const mailSamples = createMailSamples({ ...base, brand, mailTexts })
  return {
    api: { mail, mailSamples, mailTexts },
    routes: mailRoutes(mail, mailSamples),
    tasks: [sending],
    trials: config.smtpUrl === undefined ? [] : [serverTrial(transport, config.smtpUrl)],
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
