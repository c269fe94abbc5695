import type { WireApi } from '../../../src/http/contract.ts'
import type { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { rolesOf } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import '../styles/organizations.css'

type Calls = WireApi<typeof organizationAdministrationContract>
export type Organization = Answer<Calls['adminGetOrganization']>
export type ListedOrganization = Answer<Calls['adminListOrganizations']>['organizations'][number]
export type ListedMember = Answer<Calls['adminListMembers']>['members'][number]
export type Invitation = Answer<Calls['adminListInvitations']>['invitations'][number]

/** Counting stops after one page. */
export const countedUpTo = 100

/** The roles of a member or invitation, by their configured names. */
export const RoleBadges = ({ role }: { readonly role: string }) =>
  rolesOf(role).map((name) => (
    <Badge key={name} tone="plain">
      {name}
    </Badge>
  ))

/** Whether members need two factors. */
export const FactorRule = ({ organization }: { readonly organization: Pick<Organization, 'requiresSecondFactor'> }) => {
  const { t } = useI18n()
  return organization.requiresSecondFactor ? (
    <Badge tone="good" icon="lock">
      {t('organizations.factorRequired')}
    </Badge>
  ) : (
    <Badge tone="plain">{t('organizations.factorFree')}</Badge>
  )
}
