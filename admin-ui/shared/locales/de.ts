import type { MessagesOf } from '../i18n.ts'
import { en } from './en.ts'

export const de = en as unknown as MessagesOf<'de'>
