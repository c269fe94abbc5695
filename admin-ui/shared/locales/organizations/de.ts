import type { OrganizationMessagesOf } from '../../i18n.ts'

export const de: OrganizationMessagesOf<'de'> = {} as never
