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

/** Things are counted on the first page of a list only, so higher numbers are shown as "more than this". */
export const countedUpTo = 100

/** A badge for each role of a member or invitation, with the role's configured name. */
export const RoleBadges = ({ role }: { readonly role: string }) =>
  rolesOf(role).map((name) => (
    <Badge key={name} tone="plain">
      {name}
    </Badge>
  ))

/** A text that says whether the organization requires two factors of its members. */
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
