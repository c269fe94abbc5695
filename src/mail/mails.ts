import type { MailContent } from './template.ts'

/** The mail of `doctor --mail-to`, in English because it is for operators. */
export const testMail = (publicUrl: string): MailContent => ({
  subject: 'Test mail from gatehouse',
  heading: 'Mail works',
  paragraphs: ['This mail was sent by the command "gatehouse doctor" to see that mail goes out.'],
  action: { label: 'Open gatehouse', url: publicUrl },
  footnote: 'Nothing has to be done.',
  reason: 'test',
})
