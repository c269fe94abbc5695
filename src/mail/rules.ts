import { isLoopbackHost } from '../core/web.ts'
import { parseEmail } from '../core/wire.ts'

export const mailStates = ['pending', 'sent', 'failed'] as const
/** `pending` covers a mail under way as well. */
export type MailState = (typeof mailStates)[number]

/** A sender or recipient. Always structured: text would be parsed, and two addresses could hide in one. */
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

/** An error of the mail library: the server's answer, where it gave one, and the command it answers. */
export interface SmtpFailure {
  readonly message: string
  readonly response?: string
  readonly responseCode?: number
  readonly command?: string
}

const longestWords = 500

/** Words of a mail server as they may be shown and logged: one line of bounded length, without what controls a terminal or turns the direction of writing. */
export const wordsOf = (text: string): string =>
  text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, longestWords)
    .toWellFormed()

/** A delivery that failed. */
export class DeliveryError extends Error {
  /** The server's words, where it said something. */
  readonly response: string | undefined
  /** True when the mail is not sent again. */
  readonly isFinal: boolean
  /** No mail can be sent at present: the server was not reached, refuses everybody, or goes away. */
  readonly isServerAway: boolean
  constructor(failure: SmtpFailure) {
    super(wordsOf(failure.message))
    this.name = 'DeliveryError'
    this.response = failure.response && wordsOf(failure.response)
    this.isFinal = isRefusedForGood(failure)
    this.isServerAway = !isAboutMail(failure)
  }
}

/** An answer to a command about one mail; `421` ends the connection, whatever command it answers (RFC 5321, 3.8). */
const isAboutMail = ({ command = '', responseCode }: SmtpFailure) =>
  responseCode !== undefined && responseCode !== 421 && ['MAIL FROM', 'RCPT TO', 'DATA'].includes(command)

/** Refusals of a recipient or a mail. Other codes of the fifth class concern our commands or our identity. */
const refusals: readonly number[] = [521, 541, 550, 551, 552, 553, 554, 556]

/** Enhanced codes (RFC 3463) about a recipient: its address or its mailbox. 5.1.7 and 5.1.8 are about the address of the sender. */
const aboutRecipient = /^5\d\d[ -]5\.(?:1\.(?![78]\b)|2\.)/
/** About this installation: its system, its commands, its policy, its address as a sender, and 5.4.5, by which servers say that it has sent too much. */
const aboutUs = /^\d{3}[ -]5\.(?:[357]\.|1\.[78]\b|4\.5\b)/
/**
 * Answers about this installation from servers that give no enhanced code, recognized by their words: `relay not permitted`, `Email address is not
 * verified`.
 */
const wordsAboutUs = /^\d{3}[ -](?!\d\.\d).*(?:\brelay|\bsender\b|\bsending\b|from address|authenticat|not verified)/is

/**
 * True for an answer after which the same mail is not sent again (RFC 5321, 4.2.1): the recipient or the mail is refused for good. An answer to
 * anything earlier, and one about system, protocol, policy or sender (a relay that is denied, a sender that lacks DMARC), is about this
 * installation, whose operator puts it right while the mail waits.
 */
const isRefusedForGood = ({ command, responseCode = 0, response = '' }: SmtpFailure): boolean => {
  if (command !== 'RCPT TO' && command !== 'DATA') return false
  // Servers from before RFC 2821 say so that there are too many recipients (RFC 5321, 4.5.3.1.10).
  if (responseCode === 552 && command === 'RCPT TO' && !aboutRecipient.test(response)) return false
  if (responseCode !== 521 && (aboutUs.test(response) || wordsAboutUs.test(response))) return false
  return refusals.includes(responseCode) || aboutRecipient.test(response)
}

/** How the host of an address names itself to a mail server (RFC 5321, 4.1.4); undefined where no other host knows it. */
export const ehloName = (publicUrl: string): string | undefined => {
  const { hostname } = new URL(publicUrl)
  if (isLoopbackHost(hostname)) return undefined
  if (hostname.startsWith('[')) return `[IPv6:${hostname.slice(1)}`
  return /^[\d.]+$/.test(hostname) ? `[${hostname}]` : hostname
}
