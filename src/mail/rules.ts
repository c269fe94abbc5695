import { isLoopbackHost } from '../core/web.ts'
import { parseEmail } from '../core/wire.ts'

export const mailStates = ['pending', 'sent', 'failed'] as const
/** `pending` also includes a mail that is being sent. */
export type MailState = (typeof mailStates)[number]

/** A sender or recipient. Name and address are separate, because a text would be parsed, and could contain two addresses. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** Parses `Name <address>` or a plain address. Undefined for other text. */
export const parseMailbox = (text: string): Mailbox | undefined => {
  const [, written = '', inner] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? []
  const name = written.trim().replace(/^"|"$/g, '')
  const address = name.includes('"') ? undefined : parseEmail(inner ?? text)
  return address === undefined ? undefined : { name, address }
}

/** An error of the mail library: the server's answer, if there is one, and the command to which it answered. */
export interface SmtpFailure {
  readonly message: string
  readonly response?: string
  readonly responseCode?: number
  readonly command?: string
}

const longestWords = 500

/** A mail server's text for display and logs: one line of limited length, without characters that control a terminal or the direction of text. */
export const wordsOf = (text: string): string =>
  text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, longestWords)
    .toWellFormed()

/** Thrown when a delivery failed. */
export class DeliveryError extends Error {
  /** The server's text, or undefined. */
  readonly response: string | undefined
  /** True if the mail is not sent again. */
  readonly isFinal: boolean
  /** True if no mail can be sent now, because the server cannot be reached, refuses everybody, or is shutting down. */
  readonly isServerAway: boolean
  constructor(failure: SmtpFailure) {
    super(wordsOf(failure.message))
    this.name = 'DeliveryError'
    this.response = failure.response && wordsOf(failure.response)
    this.isFinal = isRefusedForGood(failure)
    this.isServerAway = !isAboutMail(failure)
  }
}

/** True for an answer to a command about a mail. `421` ends the connection, whatever the command was (RFC 5321, section 3.8). */
const isAboutMail = ({ command = '', responseCode }: SmtpFailure) =>
  responseCode !== undefined && responseCode !== 421 && ['MAIL FROM', 'RCPT TO', 'DATA'].includes(command)

/** Codes by which a server refuses a recipient or mail. Other codes from 500 on are about the commands, or about the identity of this server. */
const refusals: readonly number[] = [521, 541, 550, 551, 552, 553, 554, 556]

/** Enhanced codes (RFC 3463) about a recipient: its address or its mailbox. 5.1.7 and 5.1.8 are about the sender's address. */
const aboutRecipient = /^5\d\d[ -]5\.(?:1\.(?![78]\b)|2\.)/
/**
 * Enhanced codes about this installation: its system, its commands, its policy, its address as a sender. By 5.4.5 servers report too many
 * mails.
 */
const aboutUs = /^\d{3}[ -]5\.(?:[357]\.|1\.[78]\b|4\.5\b)/
/**
 * Answers about this installation from servers that send no enhanced codes. They are recognised by their text: `relay not permitted`,
 * `Email address is not verified`.
 */
const wordsAboutUs = /^\d{3}[ -](?!\d\.\d).*(?:\brelay|\bsender\b|\bsending\b|from address|authenticat|not verified)/is

/**
 * True for an answer after which the same mail is not sent again (RFC 5321, section 4.2.1): it refuses the recipient or the mail for
 * good. Answers to earlier commands, and answers about system, protocol, policy or sender (a denied relay, a sender without DMARC), are
 * about this installation. The mail then waits until the operator has repaired that.
 */
const isRefusedForGood = ({ command, responseCode = 0, response = '' }: SmtpFailure): boolean => {
  if (command !== 'RCPT TO' && command !== 'DATA') return false
  // Servers older than RFC 2821 report too many recipients by this code (RFC 5321, section 4.5.3.1.10).
  if (responseCode === 552 && command === 'RCPT TO' && !aboutRecipient.test(response)) return false
  if (responseCode !== 521 && (aboutUs.test(response) || wordsAboutUs.test(response))) return false
  return refusals.includes(responseCode) || aboutRecipient.test(response)
}

/** The name by which this host introduces itself to a mail server (RFC 5321, section 4.1.4). Undefined if no other host knows the name. */
export const ehloName = (publicUrl: string): string | undefined => {
  const { hostname } = new URL(publicUrl)
  if (isLoopbackHost(hostname)) return undefined
  if (hostname.startsWith('[')) return `[IPv6:${hostname.slice(1)}`
  return /^[\d.]+$/.test(hostname) ? `[${hostname}]` : hostname
}
