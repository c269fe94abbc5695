import type { OrganizationMessagesOf } from '../../i18n.ts'

export const tr: OrganizationMessagesOf<'tr'> = {} as never
