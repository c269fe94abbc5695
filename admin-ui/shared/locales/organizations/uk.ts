import type { OrganizationMessagesOf } from '../../i18n.ts'

export const uk: OrganizationMessagesOf<'uk'> = {} as never
