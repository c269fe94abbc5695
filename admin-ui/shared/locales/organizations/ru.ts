import type { OrganizationMessagesOf } from '../../i18n.ts'

export const ru: OrganizationMessagesOf<'ru'> = {} as never
