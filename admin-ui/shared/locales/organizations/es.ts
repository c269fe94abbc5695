import type { OrganizationMessagesOf } from '../../i18n.ts'

export const es: OrganizationMessagesOf<'es'> = {} as never
