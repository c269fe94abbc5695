import type { OrganizationMessagesOf } from '../../i18n.ts'

export const pl: OrganizationMessagesOf<'pl'> = {} as never
