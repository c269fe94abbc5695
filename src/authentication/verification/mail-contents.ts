import { type AccountMailTexts, createMailParts } from './mail-parts.ts'
import { createNoticeMails } from './notice-mails.ts'
import { createRequestedMails } from './requested-mails.ts'

/** The contents of all mails about accounts. */
export const createAccountMailContents = (textsIn: AccountMailTexts) => {
  const parts = createMailParts(textsIn)
  return { ...createRequestedMails(parts), ...createNoticeMails(parts) }
}
