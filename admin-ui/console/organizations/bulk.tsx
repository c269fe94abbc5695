import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import type { BulkAction } from '../shared/bulk.tsx'
import { BulkBar } from '../shared/bulk.tsx'
import type { BulkProps } from '../shared/table-bar.tsx'
import type { ListedOrganization } from './parts.tsx'

/** The actions on the selected organizations of the list. */
export const OrganizationBulk = (bulk: BulkProps<ListedOrganization>) => {
  const { t } = useI18n()
  const actions = ([true, false] as const).map(
    (requiresSecondFactor): BulkAction<ListedOrganization> => ({
      label: t(requiresSecondFactor ? 'organizations.factorRequire' : 'organizations.factorRelease'),
      icon: 'lock',
      permission: 'all-organizations:update',
      endpoint: organizationAdministrationContract.adminPatchOrganization,
      input: ({ id }) => ({ params: { id }, body: { requiresSecondFactor } }),
      command: ({ slug }) => ['update-org', '--org', slug, '--second-factor', requiresSecondFactor ? 'required' : 'optional'],
      blocked: (organization) => (organization.requiresSecondFactor === requiresSecondFactor ? t('lists.sameRule') : undefined),
      consequences: [t(requiresSecondFactor ? 'organizations.factorSessions' : 'organizations.factorReleased')],
      reason: 'optional',
    }),
  )
  return <BulkBar {...bulk} actions={actions} />
}
