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
