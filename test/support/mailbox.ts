/** Reads the mails that a mail server has accepted, as a person reads them. */
import { vi } from 'vitest'
import type { Smtp } from './smtp.ts'

export interface ReadMail {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The address behind the button. */
  readonly link: string
}

const decodeQuoted = (text: string): Buffer =>
  Buffer.from(
    text.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

const decode = (text: string, encoding: string): string => {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString('utf8')
  return encoding === 'quoted-printable' ? decodeQuoted(text).toString('utf8') : text
}

/** Decodes the encoded words of a header (RFC 2047). */
const decodeHeader = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([BQ])\?(.*?)\?=/gi, (_, kind: string, part: string) =>
      decode(part.replaceAll('_', ' '), kind.toUpperCase() === 'B' ? 'base64' : 'quoted-printable'),
    )

const split = (entity: string) => {
  const at = entity.search(/\r?\n\r?\n/)
  return { head: entity.slice(0, at).replace(/\r?\n[ \t]+/g, ' '), body: entity.slice(at).replace(/^\r?\n\r?\n/, '') }
}

const header = (head: string, name: string): string => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]?.trim() ?? ''

/** Reads a mail that has a text part and an HTML part. */
export const readMail = (raw: string): ReadMail => {
  const { head, body } = split(raw)
  const boundary = /boundary="?([^";]+)"?/i.exec(header(head, 'Content-Type'))?.[1] ?? ''
  const parts = body.split(`--${boundary}`).map((part) => split(part.replace(/^\r?\n/, '')))
  const part = (type: string) => {
    const found = parts.find((candidate) => header(candidate.head, 'Content-Type').startsWith(type))
    return found === undefined ? '' : decode(found.body, header(found.head, 'Content-Transfer-Encoding').toLowerCase())
  }
  const text = part('text/plain')
  return {
    subject: decodeHeader(header(head, 'Subject')),
    text,
    html: part('text/html'),
    link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
  }
}

/** The newest mail to an address. Waits until there are `count` mails. */
export const mailTo = (smtp: Smtp, address: string, count = 1): Promise<ReadMail> =>
  vi.waitFor(
    () => {
      const mails = smtp.received.filter(({ to }) => to.includes(address))
      const newest = mails.at(-1)
      if (newest === undefined || mails.length < count) throw new Error(`${mails.length} mails to ${address}, not ${count}`)
      return readMail(newest.raw)
    },
    { timeout: 60_000, interval: 20 },
  )
