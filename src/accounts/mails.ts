import type { MailWords } from '../mail/index.ts'

/** The verification mail. */
export const verificationMail = (name: string, url: string, ttlSeconds: number): MailWords => ({
  subject: 'Confirm your email address',
  heading: `Hello ${name}`,
  paragraphs: ['Please confirm that this is your email address.'],
  action: { label: 'Confirm email address', url },
  footnote: `The link works for ${Math.round(ttlSeconds / 60)} minutes. If you did not ask for it, you can ignore this mail.`,
})
