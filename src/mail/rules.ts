import { isLoopbackHost } from '../core/web.ts'
import { parseEmail } from '../core/wire.ts'

export const mailStates = ['pending', 'sent', 'failed'] as const
/** `pending` includes a mail that is being sent. */
export type MailState = (typeof mailStates)[number]

/** A sender or recipient. Structured, because text would be parsed and could contain two addresses. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** `Name <address>` or a plain address; undefined for other text. */
export const parseMailbox = (text: string): Mailbox | undefined => {
  const [, written = '', inner] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? []
  const name = written.trim().replace(/^"|"$/g, '')
  const address = name.includes('"') ? undefined : parseEmail(inner ?? text)
  return address === undefined ? undefined : { name, address }
}

/** An error of the mail library: the server's answer, if any, and the command before it. */
export interface SmtpFailure {
  readonly message: string
  readonly response?: string
  readonly responseCode?: number
  readonly command?: string
}

const longestWords = 500

/** A mail server's text for display and logs: one line of limited length, without control and direction characters. */
export const wordsOf = (text: string): string =>
  text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, longestWords)
    .toWellFormed()

/** A delivery that failed. */
export class DeliveryError extends Error {
  /** The server's text, if any. */
  readonly response: string | undefined
  /** True if the mail is not sent again. */
  readonly isFinal: boolean
  /** No mail can be sent now: the server was not reached, refuses everybody, or is shutting down. */
  readonly isServerAway: boolean
  constructor(failure: SmtpFailure) {
    super(wordsOf(failure.message))
    this.name = 'DeliveryError'
    this.response = failure.response && wordsOf(failure.response)
    this.isFinal = isRefusedForGood(failure)
    this.isServerAway = !isAboutMail(failure)
  }
}

/** An answer to a command about a mail; `421` ends the connection, whatever the command (RFC 5321, 3.8). */
const isAboutMail = ({ command = '', responseCode }: SmtpFailure) =>
  responseCode !== undefined && responseCode !== 421 && ['MAIL FROM', 'RCPT TO', 'DATA'].includes(command)

/** Refusals of a recipient or mail. Other codes of class five are about the commands or the identity of this server. */
const refusals: readonly number[] = [521, 541, 550, 551, 552, 553, 554, 556]

/** Enhanced codes (RFC 3463) about a recipient: its address or its mailbox. 5.1.7 and 5.1.8 are about the address of the sender. */
const aboutRecipient = /^5\d\d[ -]5\.(?:1\.(?![78]\b)|2\.)/
/** Codes about this installation: its system, commands, policy, address as a sender, and 5.4.5, by which servers report too many mails. */
const aboutUs = /^\d{3}[ -]5\.(?:[357]\.|1\.[78]\b|4\.5\b)/
/**
 * Answers about this installation from servers without enhanced codes, recognised by their text: `relay not permitted`, `Email address is
 * not verified`.
 */
const wordsAboutUs = /^\d{3}[ -](?!\d\.\d).*(?:\brelay|\bsender\b|\bsending\b|from address|authenticat|not verified)/is

/**
 * True for an answer after which the same mail is not sent again (RFC 5321, 4.2.1): it refuses the recipient or the mail for good.
 * Answers to earlier commands, and answers about system, protocol, policy or sender (a denied relay, a sender without DMARC), are about
 * this installation: the mail waits until its operator repairs that.
 */
const isRefusedForGood = ({ command, responseCode = 0, response = '' }: SmtpFailure): boolean => {
  if (command !== 'RCPT TO' && command !== 'DATA') return false
  // By this code servers older than RFC 2821 report too many recipients (RFC 5321, 4.5.3.1.10).
  if (responseCode === 552 && command === 'RCPT TO' && !aboutRecipient.test(response)) return false
  if (responseCode !== 521 && (aboutUs.test(response) || wordsAboutUs.test(response))) return false
  return refusals.includes(responseCode) || aboutRecipient.test(response)
}

/** The name by which the host of an address introduces itself to a mail server (RFC 5321, 4.1.4); undefined if no other host knows it. */
export const ehloName = (publicUrl: string): string | undefined => {
  const { hostname } = new URL(publicUrl)
  if (isLoopbackHost(hostname)) return undefined
  if (hostname.startsWith('[')) return `[IPv6:${hostname.slice(1)}`
  return /^[\d.]+$/.test(hostname) ? `[${hostname}]` : hostname
}
