import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SendMailOptions } from 'nodemailer'
import { makeDirectory } from '../core/files.ts'
import type { Log } from '../core/log.ts'
import { isLoopbackUrl } from '../core/web.ts'
import type { PackedFrame } from './inline.ts'
import { DeliveryError, type Mailbox, type SmtpFailure, wordsOf } from './rules.ts'
import { type MailContent, renderMail } from './template.ts'

/** A mail to send. The header Message-ID is made from `id`, so that receivers recognize a mail that is delivered twice. */
export interface OutgoingMail {
  readonly id: string
  readonly kind: string
  readonly createdAt: Date
  readonly to: Mailbox
  readonly content: MailContent
  readonly packed: PackedFrame
}

/** A session with the mail server, which can send several mails until it is closed. */
export interface SmtpSession {
  /**
   * Sends a mail. Resolves with the server's response when the server has accepted the mail. Throws `DeliveryError`, with the server's
   * response if there was one.
   */
  send(mail: OutgoingMail): Promise<string>
  /** Connects and signs in, but sends nothing. Throws `DeliveryError`. */
  verify(): Promise<void>
  close(): void
}

/** Opens a session with the mail server. Mails of a session share connections, which are closed with the session. */
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
  /** The name that is sent with EHLO. If undefined, it is the name of the machine. */
  readonly name: string | undefined
  readonly timeoutSeconds: number
  /** True if mails may be sent without encryption to another machine whose mail server does not offer TLS. */
  readonly allowPlaintext: boolean
}

/**
 * Removes the query parameters that could switch TLS off from the URL of a mail server. Parameters in the URL would override all other
 * options.
 */
const withoutTlsOptions = (url: string): string => {
  const address = new URL(url)
  for (const name of [...address.searchParams.keys()])
    if (/^(require|ignore|opportunistic)TLS$/i.test(name)) address.searchParams.delete(name)
  return address.href
}

/** Delivers mails over SMTP. If a delivery takes longer than `timeoutSeconds` in total, it is cut off, however slowly the server sends. */
export const smtpTransport =
  ({ url, from, name, timeoutSeconds, allowPlaintext }: SmtpOptions): Transport =>
  async () => {
    // The mail library is loaded for the first mail, so that the start of the daemon does not wait for it.
    const { createTransport } = await import('nodemailer')
    const timeout = timeoutSeconds * 1000
    const pool = createTransport({
      pool: true,
      ...(allowPlaintext || isLoopbackUrl(url) ? { url } : { url: withoutTlsOptions(url), requireTLS: true }),
      ...(name === undefined ? {} : { name }),
      maxConnections: 4,
      // The library must not send a mail again by itself. Only the outbox does that.
      maxRequeues: 0,
      // The limit of the whole delivery is shorter than this one. It ends the delivery with a message of its own.
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

/**
 * Used if no mail server is configured. It writes each mail to an `.eml` file, which any mail program can open, and logs the link in the
 * mail.
 */
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
        // The file gets its final name after it is complete, so that nobody reads an incomplete mail. A second delivery of a mail
        // replaces the file.
        writeFileSync(`${file}.part`, message as Buffer, { mode: 0o600 })
        renameSync(`${file}.part`, file)
        log.info({ kind: mail.kind, file, link: mail.content.action.url }, 'mail written to a file: no SMTP server is configured')
        return `no SMTP server is configured: written to ${file}`
      },
      verify: async () => undefined,
      close: () => undefined,
    }
  }
