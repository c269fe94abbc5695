import type { OrganizationMessagesOf } from '../../i18n.ts'

export const fr: OrganizationMessagesOf<'fr'> = {} as never
