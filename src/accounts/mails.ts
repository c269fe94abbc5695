import type { MailWords } from '../mail/index.ts'

/** Strangers choose names too: one that could carry a message or an address of its own to somebody's inbox is left out. */
const greeting = (name: string) =>
  name.length > 0 && name.length <= 60 && !/[:/@\\]|\.\S/.test(name) ? `Hello ${name}` : 'Hello'

/** The verification mail. */
export const verificationMail = (name: string, url: string, ttlSeconds: number): MailWords => ({
  subject: 'Confirm your email address',
  heading: greeting(name),
  paragraphs: ['Please confirm that this is your email address.'],
  action: { label: 'Confirm email address', url },
  footnote: `The link works for ${Math.round(ttlSeconds / 60)} minutes. If you did not ask for it, you can ignore this mail.`,
})
