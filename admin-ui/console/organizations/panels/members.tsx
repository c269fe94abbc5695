import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { organizationAdministrationContract } from '../../../../src/organizations/administration/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { Avatar } from '../../../shared/ui.tsx'
import { useConsole } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { PagedPanel } from '../../shared/paged-panel.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { Time } from '../../shared/time.tsx'
import type { ListedMember, Organization } from '../parts.tsx'
import { RoleBadges } from '../parts.tsx'
import { useRoles } from '../roles.tsx'
import { PanelFilter } from './filter.tsx'
import type { OpenMember } from './member-dialogs.tsx'
import { AddDialog, RemoveDialog, RolesDialog } from './member-dialogs.tsx'

/** The id of the only member with the creator role: an organization keeps one. */
const useOnlyOwner = ({ id }: Organization): string | undefined => {
  const { api } = useConsole()
  const role = useRoles()?.creatorRole
  const { data } = useQuery({
    ...api.query(organizationAdministrationContract, 'adminListMembers', { params: { id }, query: { role, limit: 2 } }),
    enabled: role !== undefined,
  })
  return data?.members.length === 1 && data.next === null ? data.members[0]?.id : undefined
}

interface MemberRowProps {
  readonly member: ListedMember
  readonly isOnlyOwner: boolean
  readonly onRoles: () => void
  readonly onRemove: () => void
}

const MemberRow = ({ member: { userId, user, role, createdAt }, isOnlyOwner, onRoles, onRemove }: MemberRowProps) => {
  const { t } = useI18n()
  const { screens } = useConsole()
  const named = <span className="visually-hidden"> {user.name}</span>
  return (
    <>
      <span className="entry-text">
        <span className="who">
          <Avatar name={user.name} />
          <span className="who-text">
            <span className="entry-title">
              {screens.has('/admin/users') ? (
                <Link to={`/admin/users/${encodeURIComponent(userId)}`}>{user.name}</Link>
              ) : (
                user.name
              )}
              <RoleBadges role={role} />
            </span>
            <span className="who-detail break">
              {user.email} · <Time at={createdAt} />
            </span>
          </span>
        </span>
      </span>
      <span className="panel-actions">
        <ActionButton permission="all-organizations:update" onClick={onRoles}>
          {t('organizations.changeRoles')}
          {named}
        </ActionButton>
        <ActionButton
          permission="all-organizations:update"
          blocked={isOnlyOwner ? t('organizations.onlyOwner') : undefined}
          onClick={onRemove}
        >
          {t('organizations.remove')}
          {named}
        </ActionButton>
      </span>
    </>
  )
}

/** Who belongs to the organization, newest first. */
export const MembersPanel = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const onlyOwner = useOnlyOwner(organization)
  const roles = useRoles()?.roles ?? []
  const [role, setRole] = useState<string>()
  const [open, setOpen] = useState<'add' | OpenMember>()
  const { id, slug, memberCount } = organization
  const close = () => setOpen(undefined)
  // Read anew: its state is what the change is based on.
  const ask = async (kind: OpenMember['kind'], { id: memberId, user }: ListedMember) => {
    const member = await api.call(organizationAdministrationContract, 'adminGetMember', { params: { id, memberId } })
    setOpen({ kind, member, name: user.name, isOnlyOwner: memberId === onlyOwner })
  }
  return (
    <>
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
        row={(member) => (
          <MemberRow
            member={member}
            isOnlyOwner={member.id === onlyOwner}
            onRoles={() => void ask('roles', member)}
            onRemove={() => void ask('remove', member)}
          />
        )}
        empty={t(role === undefined ? 'organizations.membersNone' : 'console.table.noneText')}
        actions={
          <>
            <PanelFilter
              label={t('organizations.role')}
              value={role}
              options={roles.map(({ name }) => [name, name])}
              onValue={setRole}
            />
            <ActionButton permission="all-organizations:update" icon="plus" onClick={() => setOpen('add')}>
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
      {open === 'add' ? <AddDialog organization={organization} onClose={close} /> : null}
      {typeof open === 'object' && open.kind === 'roles' ? (
        <RolesDialog organization={organization} open={open} onClose={close} />
      ) : null}
      {typeof open === 'object' && open.kind === 'remove' ? (
        <RemoveDialog organization={organization} open={open} onClose={close} />
      ) : null}
    </>
  )
}
