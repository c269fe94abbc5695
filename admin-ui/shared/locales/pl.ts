import type { MessagesOf } from '../i18n.ts'
import { en } from './en.ts'

export const pl = en as unknown as MessagesOf<'pl'>
