import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SendMailOptions } from 'nodemailer'
import { makeDirectory } from '../core/files.ts'
import type { Log } from '../core/log.ts'
import { isLoopbackUrl } from '../core/web.ts'
import type { PackedFrame } from './inline.ts'
import { DeliveryError, type Mailbox, type SmtpFailure, wordsOf } from './rules.ts'
import { type MailContent, renderMail } from './template.ts'

/** A mail to send. Its Message-ID is made from `id`, so that receivers recognise a second delivery of it. */
export interface OutgoingMail {
  readonly id: string
  readonly kind: string
  readonly createdAt: Date
  readonly to: Mailbox
  readonly content: MailContent
  readonly packed: PackedFrame
}

/** Sends mails until it is closed. */
export interface SmtpSession {
  /** Resolves with the server's text when the server accepts the mail. Throws `DeliveryError`, with the server's text if there is one. */
  send(mail: OutgoingMail): Promise<string>
  /** Connects and signs in without sending. Throws `DeliveryError`. */
  verify(): Promise<void>
  close(): void
}

/** Opens a session. Its mails share connections, which end with the session. */
export type Transport = () => Promise<SmtpSession>

const messageOf = (from: Mailbox, mail: OutgoingMail): SendMailOptions => ({
  from: { ...from },
  to: { ...mail.to },
  messageId: `<${mail.id}@${from.address.split('@')[1]}>`,
  date: mail.createdAt,
  headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  disableFileAccess: true,
  disableUrlAccess: true,
  ...renderMail(mail.content, mail.packed.frame),
  attachments: mail.packed.images.map(({ cid, mediaType, bytes }) => ({
    ...{ cid, content: bytes, contentType: mediaType, contentDisposition: 'inline' as const },
    filename: `${cid}.${mediaType.split('/')[1]}`,
  })),
})

interface SmtpOptions {
  readonly url: string
  readonly from: Mailbox
  /** The name that the server gets with EHLO. When undefined: the name of the machine. */
  readonly name: string | undefined
  readonly timeoutSeconds: number
  /** True if mails may go without encryption to a server on another machine that does not offer TLS. */
  readonly allowPlaintext: boolean
}

/** Options in the address override all others. Those that could remove the requirement of TLS are taken out. */
const withoutTlsOptions = (url: string): string => {
  const address = new URL(url)
  for (const name of [...address.searchParams.keys()])
    if (/^(require|ignore|opportunistic)TLS$/i.test(name)) address.searchParams.delete(name)
  return address.href
}

/** Delivers over SMTP. A delivery that takes longer than `timeoutSeconds` in total is cut off, however slowly the server sends. */
export const smtpTransport =
  ({ url, from, name, timeoutSeconds, allowPlaintext }: SmtpOptions): Transport =>
  async () => {
    // The library is loaded for the first mail, so that the start does not wait for it.
    const { createTransport } = await import('nodemailer')
    const timeout = timeoutSeconds * 1000
    const pool = createTransport({
      pool: true,
      ...(allowPlaintext || isLoopbackUrl(url) ? { url } : { url: withoutTlsOptions(url), requireTLS: true }),
      ...(name === undefined ? {} : { name }),
      maxConnections: 4,
      // Only the outbox may send a mail again.
      maxRequeues: 0,
      // The limit of the whole delivery is shorter. It ends the delivery, with a message of its own.
      connectionTimeout: Math.min(timeout + 1_000, 15_000),
      greetingTimeout: Math.min(timeout + 1_000, 15_000),
      socketTimeout: Math.min(timeout + 1_000, 30_000),
      dnsTimeout: Math.min(timeout + 1_000, 15_000),
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return {
      send: async (mail) => {
        const message = messageOf(from, mail)
        const signal = AbortSignal.timeout(timeout)
        try {
          return wordsOf((await pool.sendMail({ ...message, signal })).response)
        } catch (error) {
          if (!signal.aborted) throw new DeliveryError(error as SmtpFailure)
          throw new DeliveryError({
            message: `the mail server gave no complete answer within ${timeoutSeconds} s (mail.timeoutSeconds)`,
          })
        }
      },
      verify: async () => {
        try {
          await pool.verify()
        } catch (error) {
          throw new DeliveryError(error as SmtpFailure)
        }
      },
      close: () => pool.close(),
    }
  }

/** Without SMTP, each mail becomes an `.eml` file, which any mail program opens. Its link is logged. */
export const fileTransport =
  (directory: string, from: Mailbox, log: Log): Transport =>
  async () => {
    const { createTransport } = await import('nodemailer')
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
    return {
      send: async (mail) => {
        const { message } = await composer.sendMail(messageOf(from, mail))
        makeDirectory(directory)
        const time = mail.createdAt.toISOString().replaceAll(/[:.]/g, '-')
        const file = join(directory, `${time}-${mail.kind}-${mail.id.slice(0, 8)}.eml`)
        // The file is renamed after it is written. So readers never see half a mail, and a second delivery writes the same file.
        writeFileSync(`${file}.part`, message as Buffer, { mode: 0o600 })
        renameSync(`${file}.part`, file)
        log.info({ kind: mail.kind, file, link: mail.content.action.url }, 'mail written to a file: no SMTP server is configured')
        return `no SMTP server is configured: written to ${file}`
      },
      verify: async () => undefined,
      close: () => undefined,
    }
  }
