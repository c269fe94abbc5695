import { isLoopbackHost } from '../core/web.ts'
import { parseEmail } from '../core/wire.ts'

export const mailStates = ['pending', 'sent', 'failed'] as const
/** `pending` covers a mail under way as well. */
export type MailState = (typeof mailStates)[number]

/** Somebody mail comes from or goes to. Always structured: text would be parsed, and two addresses could hide in one. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** `Name <address>` or a bare address; undefined when it is neither. */
export const parseMailbox = (text: string): Mailbox | undefined => {
  const [, written = '', inner] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? []
  const name = written.trim().replace(/^"|"$/g, '')
  const address = name.includes('"') ? undefined : parseEmail(inner ?? text)
  return address === undefined ? undefined : { name, address }
}

/** What went wrong with a delivery: the server's answer, where it gave one, to which command. */
export interface SmtpFailure {
  readonly message: string
  readonly response?: string
  readonly responseCode?: number
  readonly command?: string
}

/** Refusals of a recipient or a mail. Other codes of the fifth class are about what we said, or who we are. */
const refusals: readonly number[] = [521, 541, 550, 551, 552, 553, 554, 556]

/**
 * True for an answer after which the same mail is not sent again (RFC 5321, 4.2.1): the recipient or the mail is refused for good. An answer to
 * anything earlier, and one about system, protocol or policy (enhanced codes 5.3, 5.5 and 5.7 of RFC 3463: a relay that is denied, a
 * sender that lacks DMARC), is about this installation, whose operator puts it right while the mail waits.
 */
export const isRefusedForGood = ({ command, responseCode, response = '' }: SmtpFailure): boolean => {
  const isAboutUs = /^\d{3}[ -]5\.[357]\./.test(response) && responseCode !== 521
  // Servers from before RFC 2821 say so that there are too many recipients (RFC 5321, 4.5.3.1.10).
  const isOldLimit = responseCode === 552 && command === 'RCPT TO'
  return (command === 'RCPT TO' || command === 'DATA') && refusals.includes(responseCode ?? 0) && !isAboutUs && !isOldLimit
}

/** How the host of an address names itself to a mail server (RFC 5321, 4.1.4); undefined where no other host knows it. */
export const ehloName = (publicUrl: string): string | undefined => {
  const { hostname } = new URL(publicUrl)
  if (isLoopbackHost(hostname)) return undefined
  if (hostname.startsWith('[')) return `[IPv6:${hostname.slice(1)}`
  return /^[\d.]+$/.test(hostname) ? `[${hostname}]` : hostname
}
