import type { MailWords } from '../mail/index.ts'

const lasting = (ttlSeconds: number): string =>
  ttlSeconds < 7_200 ? `${Math.round(ttlSeconds / 60)} minutes` : `${Math.round(ttlSeconds / 3_600)} hours`

/** Strangers choose names too: one that could carry a message or an address of its own to somebody's inbox is left out. */
const greeting = (name: string) =>
  name.length > 0 && name.length <= 60 && !/[:/@\\]|\.\S/.test(name) ? `Hello ${name}` : 'Hello'

/** Confirms an address: after sign-up, on request, and after it was changed. */
export const verificationMail = (name: string, url: string, ttlSeconds: number): MailWords => ({
  subject: 'Confirm your email address',
  heading: greeting(name),
  paragraphs: ['Please confirm that this is your email address.'],
  action: { label: 'Confirm email address', url },
  footnote: `The link works for ${lasting(ttlSeconds)}. If you did not ask for it, you can ignore this mail.`,
})

/** To the current address: somebody signed in wants another one. */
export const changeEmailMail = (name: string, newEmail: string, url: string, ttlSeconds: number): MailWords => ({
  subject: 'Approve your new email address',
  heading: greeting(name),
  paragraphs: [
    `Your account is about to get another email address: ${newEmail}`,
    'Open the link in the browser in which you are signed in.',
  ],
  action: { label: 'Approve new address', url },
  footnote: `The link works for ${lasting(ttlSeconds)}. If you did not ask for it, do not open it, and change your password.`,
})

/** To the address that was given up. */
export const emailChangedMail = (name: string, newEmail: string, url: string): MailWords => ({
  subject: 'Your email address was changed',
  heading: greeting(name),
  paragraphs: [`Your account now has the email address ${newEmail}. This address no longer signs you in.`],
  action: { label: 'See your account', url },
  footnote: 'If it was not you, sign in and change your password at once, or ask your administrator for help.',
})

export const resetPasswordMail = (name: string, url: string, ttlSeconds: number): MailWords => ({
  subject: 'Set a new password',
  heading: greeting(name),
  paragraphs: ['Somebody, probably you, asked for a link to set a new password for your account.'],
  action: { label: 'Set a new password', url },
  footnote: `The link works for ${lasting(ttlSeconds)} and once. If you did not ask for it, you can ignore this mail.`,
})

export const passwordChangedMail = (name: string, url: string): MailWords => ({
  subject: 'Your password was changed',
  heading: greeting(name),
  paragraphs: ['The password of your account has just been changed.'],
  action: { label: 'It was not me: set a new one', url },
  footnote: 'If it was you, there is nothing to do.',
})

export const deleteAccountMail = (name: string, url: string, ttlSeconds: number): MailWords => ({
  subject: 'Delete your account',
  heading: greeting(name),
  paragraphs: [
    'Open the link to delete your account and everything that belongs to it. This cannot be undone.',
    'Open it in the browser in which you are signed in.',
  ],
  action: { label: 'Delete my account', url },
  footnote: `The link works for ${lasting(ttlSeconds)}. If you did not ask for it, do not open it, and change your password.`,
})

/** `at`: when, `device`: "Firefox on Linux", `address`: from where. */
export const newDeviceMail = (name: string, device: string, address: string, at: Date, url: string): MailWords => ({
  subject: `New sign-in: ${device}`,
  heading: greeting(name),
  paragraphs: [
    'Your account was signed in to from somewhere new.',
    `${device}, ${address}, ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  ],
  action: { label: 'See where you are signed in', url },
  footnote: 'If it was you, there is nothing to do. If not, end that session and change your password.',
})
