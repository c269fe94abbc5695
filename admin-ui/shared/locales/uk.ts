import type { MessagesOf } from '../i18n.ts'
import { en } from './en.ts'

export const uk = en as unknown as MessagesOf<'uk'>
