import type { MessagesOf } from '../i18n.ts'
import { en } from './en.ts'

export const fr = en as unknown as MessagesOf<'fr'>
