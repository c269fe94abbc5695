import type { MessagesOf } from '../i18n.ts'
import { en } from './en.ts'

export const ru = en as unknown as MessagesOf<'ru'>
