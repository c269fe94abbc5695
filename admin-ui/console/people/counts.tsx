import { useQuery } from '@tanstack/react-query'
import { sessionAdministrationContract } from '../../../src/authentication/sessions/administration/contract.ts'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole, usePermission } from '../api.ts'
import type { AdministeredUser } from './users.tsx'

interface OfUser {
  readonly user: AdministeredUser
}

/**
 * A sentence that says how many sessions a change ends. It names no number if the person may not read sessions, or if there are too many
 * to count.
 */
export const SessionCount = ({ user }: OfUser) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { isAllowed } = usePermission('user-sessions:read')
  const { data } = useQuery({
    ...api.query(sessionAdministrationContract, 'adminListSessionsOfUser', { params: { id: user.id }, query: { limit: 100 } }),
    enabled: isAllowed,
  })
  return data === undefined || data.next !== null
    ? t('people.sessionsManyEnd')
    : t('people.sessionsEnd', { count: data.sessions.length })
}

/** A sentence that says how many organizations the user leaves. */
export const OrganizationCount = ({ user }: OfUser) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { isAllowed } = usePermission('all-organizations:read')
  const { data } = useQuery({
    ...api.query(organizationAdministrationContract, 'adminListOrganizationsOfUser', {
      params: { id: user.id },
      query: { limit: 100 },
    }),
    enabled: isAllowed,
  })
  return data === undefined || data.next !== null
    ? t('people.organizationsManyLeft')
    : t('people.organizationsLeft', { count: data.organizations.length })
}
