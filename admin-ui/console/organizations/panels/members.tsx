import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { organizationAdministrationContract } from '../../../../src/organizations/administration/contract.ts'
import { MembersPanel as SharedMembersPanel } from '../../../shared/organizations/panels.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { PagedPanel } from '../../shared/paged-panel.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import type { ListedMember, Organization } from '../parts.tsx'
import { useRoles } from '../roles.tsx'
import { PanelFilter } from './filter.tsx'
import type { OpenMember } from './member-dialogs.tsx'
import { AddDialog, RemoveDialog, RolesDialog } from './member-dialogs.tsx'

/**
 * The id of the member with the creator role, if only one member has it. Undefined if several have it. An organization always needs such
 * a member.
 */
const useOnlyOwner = ({ id }: Organization): string | undefined => {
  const { api } = useConsole()
  const role = useRoles()?.creatorRole
  const { data } = useQuery({
    ...api.query(organizationAdministrationContract, 'adminListMembers', { params: { id }, query: { role, limit: 2 } }),
    enabled: role !== undefined,
  })
  return data?.members.length === 1 && data.next === null ? data.members[0]?.id : undefined
}

/** The members of the organization, newest first. */
export const MembersPanel = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const onlyOwner = useOnlyOwner(organization)
  const roles = useRoles()?.roles ?? []
  const [role, setRole] = useState<string>()
  const { id, slug, memberCount } = organization
  return (
    <SharedMembersPanel<ListedMember, 'add' | OpenMember>
      list={(row, open) => (
        <PagedPanel
          title={t('organizations.membersCounted', { count: memberCount })}
          permission="all-organizations:read"
          queryKey={[organizationAdministrationContract.adminListMembers.path, id, role ?? '']}
          load={async (place) => {
            const { members, next, total } = await api.call(organizationAdministrationContract, 'adminListMembers', {
              params: { id },
              query: { role, limit: 10, ...place },
            })
            return { rows: members, next, total }
          }}
          idOf={(member) => member.id}
          row={row}
          empty={t(role === undefined ? 'organizations.membersNone' : 'console.table.noneText')}
          actions={
            <>
              <PanelFilter
                label={t('organizations.role')}
                value={role}
                options={roles.map(({ name }) => [name, name])}
                onValue={setRole}
              />
              <ActionButton permission="all-organizations:update" icon="plus" onClick={() => open('add')}>
                {t('organizations.addMember')}
              </ActionButton>
            </>
          }
          foot={
            <ShowCall
              target={organizationAdministrationContract.adminListMembers}
              input={{ params: { id }, query: { role } }}
              command={['list-members', '--org', slug, ...(role === undefined ? [] : ['--role', role])]}
              isQuery
            />
          }
        />
      )}
      actionsOf={({ id: memberId, user: { name } }, open) => {
        const isOnlyOwner = memberId === onlyOwner
        // Fetches the member again before the dialog opens, so that the change is based on the present state.
        const ask = async (kind: OpenMember['kind']) => {
          const member = await api.call(organizationAdministrationContract, 'adminGetMember', { params: { id, memberId } })
          open({ kind, member, name, isOnlyOwner })
        }
        const action = (kind: OpenMember['kind'], label: string) => ({
          ...{ label, name: `${label} ${name}`, onSelect: () => void ask(kind) },
        })
        return [
          action('roles', t('organizations.changeRoles')),
          {
            ...action('remove', t('organizations.remove')),
            blocked: isOnlyOwner ? t('organizations.onlyOwner') : undefined,
          },
        ]
      }}
      dialogOf={(open, onClose) => {
        if (open === 'add') return <AddDialog organization={organization} onClose={onClose} />
        const Dialog = open.kind === 'roles' ? RolesDialog : RemoveDialog
        return <Dialog organization={organization} open={open} onClose={onClose} />
      }}
    />
  )
}
