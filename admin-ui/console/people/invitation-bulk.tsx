import type { WireApi } from '../../../src/http/contract.ts'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import type { invitationAdministrationContract } from '../../../src/organizations/invitations/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { rolesOf } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { BulkBar } from '../shared/bulk.tsx'
import type { BulkProps } from '../shared/table-bar.tsx'

type Listed = Answer<WireApi<typeof invitationAdministrationContract>['adminListAllInvitations']>['invitations'][number]

/** The actions on the selected invitations of the list. */
export const InvitationBulk = (bulk: BulkProps<Listed>) => {
  const { t } = useI18n()
  const blocked = ({ status }: Listed) => (status === 'pending' || status === 'expired' ? undefined : t('lists.invitationOver'))
  return (
    <BulkBar
      {...bulk}
      actions={[
        {
          label: t('organizations.resend'),
          icon: 'mail',
          permission: 'all-organizations:update',
          endpoint: organizationAdministrationContract.adminInvite,
          input: ({ organizationId, email, role }) => ({
            params: { id: organizationId },
            body: { email, role: rolesOf(role), resend: true },
          }),
          command: ({ organizationSlug, email, role }) => [
            ...['invite-member', '--org', organizationSlug, '--email', email, '--role', role, '--resend'],
          ],
          blocked,
          consequences: [t('lists.resendInvitations')],
          reason: 'optional',
        },
        {
          label: t('lists.withdraw'),
          icon: 'close',
          permission: 'all-organizations:update',
          endpoint: organizationAdministrationContract.adminCancelInvitation,
          input: ({ id, organizationId }) => ({ params: { id: organizationId, invitationId: id } }),
          blocked,
          consequences: [t('lists.withdrawInvitations'), t('lists.forever')],
          isDangerous: true,
          reason: 'optional',
        },
      ]}
    />
  )
}
