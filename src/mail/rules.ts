import { isLoopbackHost } from '../core/web.ts'
import { parseEmail } from '../core/wire.ts'

export const mailStates = ['pending', 'sent', 'failed'] as const
/** The state of a mail. `pending` also means a mail that is being sent at the moment. */
export type MailState = (typeof mailStates)[number]

/** A sender or recipient. Name and address are separate fields, because a single text would be parsed again and could contain two addresses. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** Parses a text such as `Name <address>`, or an email address alone. Undefined for any other text. */
export const parseMailbox = (text: string): Mailbox | undefined => {
  const [, written = '', inner] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? []
  const name = written.trim().replace(/^"|"$/g, '')
  const address = name.includes('"') ? undefined : parseEmail(inner ?? text)
  return address === undefined ? undefined : { name, address }
}

/** An error of the mail library. It contains the server's response, if there was one, and the SMTP command that the server responded to. */
export interface SmtpFailure {
  readonly message: string
  readonly response?: string
  readonly responseCode?: number
  readonly command?: string
}

const longestWords = 500

/**
 * Prepares a text from a mail server for display and logs. The result is one line of limited length, without characters that control a
 * terminal or the direction of text.
 */
export const wordsOf = (text: string): string =>
  text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, longestWords)
    .toWellFormed()

/** Thrown if a mail could not be delivered. */
export class DeliveryError extends Error {
  /** The response of the mail server. Undefined if there was none. */
  readonly response: string | undefined
  /** True if the mail must not be sent again. */
  readonly isFinal: boolean
  /** True if no mail at all can be sent now. The server cannot be reached, refuses everybody, or is shutting down. */
  readonly isServerAway: boolean
  constructor(failure: SmtpFailure) {
    super(wordsOf(failure.message))
    this.name = 'DeliveryError'
    this.response = failure.response && wordsOf(failure.response)
    this.isFinal = isRefusedForGood(failure)
    this.isServerAway = !isAboutMail(failure)
  }
}

/**
 * True if the response is about a mail, and not about the connection. The code `421` closes the connection, whatever the command was (RFC
 * 5321, section 3.8).
 */
const isAboutMail = ({ command = '', responseCode }: SmtpFailure) =>
  responseCode !== undefined && responseCode !== 421 && ['MAIL FROM', 'RCPT TO', 'DATA'].includes(command)

/** Codes with which a server refuses a recipient or a mail. Any other code from 500 on is about the commands, or about who this server is. */
const refusals: readonly number[] = [521, 541, 550, 551, 552, 553, 554, 556]

/** Enhanced status codes (RFC 3463) about the recipient's address or mailbox. 5.1.7 and 5.1.8 are about the sender's address. */
const aboutRecipient = /^5\d\d[ -]5\.(?:1\.(?![78]\b)|2\.)/
/**
 * Enhanced status codes about this installation: its system, its commands, its policy or its sender address. With 5.4.5, servers report
 * too many mails.
 */
const aboutUs = /^\d{3}[ -]5\.(?:[357]\.|1\.[78]\b|4\.5\b)/
/**
 * Responses about this installation from servers that send no enhanced status codes. They are recognized by words such as `relay not
 * permitted` or `Email address is not verified`.
 */
const wordsAboutUs = /^\d{3}[ -](?!\d\.\d).*(?:\brelay|\bsender\b|\bsending\b|from address|authenticat|not verified)/is

/**
 * True if a mail must not be sent again after this response (RFC 5321, section 4.2.1), because the server has refused the recipient or
 * the mail permanently. Responses to earlier commands, and responses about system, protocol, policy or sender (such as a refused relay,
 * or a sender without DMARC), are about this installation. After these, the mail waits until the operator has solved the problem.
 */
const isRefusedForGood = ({ command, responseCode = 0, response = '' }: SmtpFailure): boolean => {
  if (command !== 'RCPT TO' && command !== 'DATA') return false
  // Servers older than RFC 2821 use this code to report too many recipients (RFC 5321, section 4.5.3.1.10).
  if (responseCode === 552 && command === 'RCPT TO' && !aboutRecipient.test(response)) return false
  if (responseCode !== 521 && (aboutUs.test(response) || wordsAboutUs.test(response))) return false
  return refusals.includes(responseCode) || aboutRecipient.test(response)
}

/**
 * The name with which this host introduces itself to a mail server (RFC 5321, section 4.1.4). Undefined if the host has no name that
 * other hosts know.
 */
export const ehloName = (publicUrl: string): string | undefined => {
  const { hostname } = new URL(publicUrl)
  if (isLoopbackHost(hostname)) return undefined
  if (hostname.startsWith('[')) return `[IPv6:${hostname.slice(1)}`
  return /^[\d.]+$/.test(hostname) ? `[${hostname}]` : hostname
}
