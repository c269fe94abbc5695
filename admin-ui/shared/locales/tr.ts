import type { MessagesOf } from '../i18n.ts'
import { en } from './en.ts'

export const tr = en as unknown as MessagesOf<'tr'>
