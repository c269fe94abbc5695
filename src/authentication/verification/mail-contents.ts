import type { Catalogues } from '../../core/own-texts.ts'
import { type AccountMailTexts, createMailParts } from './mail-parts.ts'
import { createNoticeMails } from './notice-mails.ts'
import { createRequestedMails } from './requested-mails.ts'

/** The mails about accounts, in the texts of `catalogues`. */
export const createAccountMailContents = (catalogues: Catalogues<keyof AccountMailTexts>) => {
  const parts = createMailParts(catalogues)
  return { ...createRequestedMails(parts), ...createNoticeMails(parts) }
}
