import type { MailContent } from './template.ts'

/** The mail that `doctor --mail-to` sends. It is always in English, because operators read it. */
export const testMail = (publicUrl: string): MailContent => ({
  subject: 'Test mail from gatehouse',
  heading: 'Mail works',
  paragraphs: ['This mail was sent by the command "gatehouse doctor" to see that mail goes out.'],
  action: { label: 'Open gatehouse', url: publicUrl },
  footnote: 'Nothing has to be done.',
  reason: 'test',
})
