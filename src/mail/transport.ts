import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SendMailOptions } from 'nodemailer'
import { makeDirectory } from '../core/files.ts'
import type { Log } from '../core/log.ts'
import { isLoopbackUrl } from '../core/web.ts'
import type { PackedFrame } from './inline.ts'
import { DeliveryError, type Mailbox, type SmtpFailure, wordsOf } from './rules.ts'
import { type MailContent, renderMail } from './template.ts'

/** A mail about to go out. `id` makes its Message-ID, so that a receiver can tell a repeated delivery. */
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
  /** Resolves with the server's own words when it accepts the mail. Throws `DeliveryError`, whose words are the server's where it said something. */
  send(mail: OutgoingMail): Promise<string>
  /** Connects and signs in, and sends nothing. Throws `DeliveryError`. */
  verify(): Promise<void>
  close(): void
}

/** Opens a session: the mails sent in it share connections, and none outlives it. */
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
  /** The name in EHLO; undefined: the name of the machine. */
  readonly name: string | undefined
  readonly timeoutSeconds: number
  /** Sends in the clear to a server beyond loopback that offers no TLS. */
  readonly allowPlaintext: boolean
}

/** Options in the address win over those beside it: none of them may take the insistence on TLS back. */
const withoutTlsOptions = (url: string): string => {
  const address = new URL(url)
  for (const name of [...address.searchParams.keys()])
    if (/^(require|ignore|opportunistic)TLS$/i.test(name)) address.searchParams.delete(name)
  return address.href
}

/** Delivers over SMTP. A delivery that takes longer than `timeoutSeconds` in all is cut off, however slowly the server drips. */
export const smtpTransport =
  ({ url, from, name, timeoutSeconds, allowPlaintext }: SmtpOptions): Transport =>
  async () => {
    // Loaded at the first mail: starting does not wait for it.
    const { createTransport } = await import('nodemailer')
    const timeout = timeoutSeconds * 1000
    const pool = createTransport({
      pool: true,
      ...(allowPlaintext || isLoopbackUrl(url) ? { url } : { url: withoutTlsOptions(url), requireTLS: true }),
      ...(name === undefined ? {} : { name }),
      maxConnections: 4,
      // A message must not go out a second time behind the outbox's back.
      maxRequeues: 0,
      // Where the limit of the whole delivery is shorter, it decides, and says so.
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

/** Without SMTP: each mail is an `.eml` file that any mail program opens, and its link is logged. */
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
        // Written under another name, then renamed: no reader sees half a mail, and a repeated delivery writes the same file.
        writeFileSync(`${file}.part`, message as Buffer, { mode: 0o600 })
        renameSync(`${file}.part`, file)
        log.info({ kind: mail.kind, file, link: mail.content.action.url }, 'mail written to a file: no SMTP server is configured')
        return `no SMTP server is configured: written to ${file}`
      },
      verify: async () => undefined,
      close: () => undefined,
    }
  }
