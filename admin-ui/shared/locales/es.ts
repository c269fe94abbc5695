import type { MessagesOf } from '../i18n.ts'
import { en } from './en.ts'

export const es = en as unknown as MessagesOf<'es'>
