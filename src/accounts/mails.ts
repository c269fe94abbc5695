/** Words of a mail; `mail` renders them as text and HTML. */
export interface MailWords {
  readonly subject: string
  readonly heading: string
  readonly paragraphs: readonly string[]
  readonly action: { readonly label: string; readonly url: string }
  readonly footnote: string
}

/** The verification mail. */
export const verificationMail = (name: string, url: string, ttlSeconds: number): MailWords => ({
  subject: 'Confirm your email address',
  heading: `Hello ${name}`,
  paragraphs: ['Please confirm that this is your email address.'],
  action: { label: 'Confirm email address', url },
  footnote: `The link works for ${Math.round(ttlSeconds / 60)} minutes. If you did not ask for it, you can ignore this mail.`,
})
