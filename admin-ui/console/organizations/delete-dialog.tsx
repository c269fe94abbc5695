import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { adminApiKeyContract } from '../../../src/api-keys/contract.ts'
import { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole, usePermission } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useNotify } from '../shared/use-notify.ts'
import { useRefresh } from '../shared/use-refresh.ts'
import type { Organization } from './parts.tsx'
import { countedUpTo } from './parts.tsx'

/** Sentences with the numbers of things that are deleted together with the organization. Things that the person may not read are left out. */
const useLosses = ({ id, memberCount }: Organization): readonly string[] => {
  const { t } = useI18n()
  const { api } = useConsole()
  const mayReadKeys = usePermission('api-keys:read').isAllowed
  const mayReadCustomers = usePermission('customers:read').isAllowed
  const invitations = useQuery(
    api.query(organizationAdministrationContract, 'adminListInvitations', {
      params: { id },
      query: { status: 'pending', limit: countedUpTo },
    }),
  )
  const keys = useQuery({
    ...api.query(adminApiKeyContract, 'adminListApiKeys', { query: { organizationId: id, limit: countedUpTo } }),
    enabled: mayReadKeys,
  })
  const customers = useQuery({
    ...api.query(billingAdminContract, 'customersOfOrganization', { params: { id } }),
    enabled: mayReadCustomers,
  })
  const customerCount = customers.data?.customers.length ?? 0
  const pending = invitations.data?.invitations.length ?? 0
  const keyCount = keys.data?.apiKeys.length ?? 0
  return [
    t('organizations.deleteMembers', { count: memberCount }),
    ...(pending > 0 ? [t('organizations.deleteInvitations', { count: pending })] : []),
    ...(keyCount > 0 ? [t('organizations.deleteKeys', { count: keyCount })] : []),
    ...(customerCount > 0 ? [t('organizations.deleteCustomers', { count: customerCount })] : []),
  ]
}

const DeleteDialog = ({ organization, onClose }: { readonly organization: Organization; readonly onClose: () => void }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const refresh = useRefresh()
  const navigate = useNavigate()
  const notify = useNotify()
  const losses = useLosses(organization)
  const { id, name, slug } = organization
  const params = { id }
  const remove = async (reason: string) => {
    await api.call(organizationAdministrationContract, 'adminDeleteOrganization', {
      ...{ params, reason },
      ifMatch: api.etagOf(organization),
    })
    notify(t('organizations.deleted', { name }))
    await refresh({ isLeaving: true })
    void navigate('/admin/organizations', { replace: true })
  }
  return (
    <Confirm
      title={t('organizations.deleteTitle', { name })}
      consequences={[...losses, t('organizations.deleteTokens'), t('organizations.deleteForever')]}
      action={t('organizations.delete')}
      typed={slug}
      reason="required"
      onConfirm={remove}
      onClose={onClose}
      foot={
        <ShowCall
          target={organizationAdministrationContract.adminDeleteOrganization}
          input={{ params }}
          command={['delete-org', '--org', slug, '--yes']}
        />
      }
    />
  )
}

/** Deletes an organization permanently. The person has to type the organization's slug and a reason. */
export const DeleteOrganization = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <ActionButton permission="all-organizations:delete" icon="bin" onClick={() => setIsOpen(true)}>
        {t('organizations.delete')}
      </ActionButton>
      {isOpen ? <DeleteDialog organization={organization} onClose={() => setIsOpen(false)} /> : null}
    </>
  )
}
