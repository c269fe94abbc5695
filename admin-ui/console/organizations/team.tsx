import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { ApiError } from '../../../src/http/client.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import { teamAdministrationContract } from '../../../src/organizations/teams/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { PagedPanel } from '../shared/paged-panel.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { TextField } from '../shared/text-field.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { useUndo } from '../shared/use-undo.tsx'
import { NotFound } from '../shell/not-found.tsx'

import { countedUpTo } from './parts.tsx'
import { organizationPath } from './paths.ts'

type Team = Answer<WireApi<typeof teamAdministrationContract>['adminGetTeam']>

interface DialogProps {
  readonly team: Team
  readonly onClose: () => void
}

const paramsOf = ({ organizationId, id }: Team) => ({ id: organizationId, teamId: id })

const RenameDialog = ({ team, onClose }: DialogProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [first] = useState(team)
  const [name, setName] = useState(team.name)
  const rename = useChange(teamAdministrationContract, 'adminPatchTeam', t('console.form.saved'))
  const input = { params: paramsOf(team), body: { name: name.trim() } }
  return (
    <Confirm
      title={t('organizations.renameOf', { name: first.name })}
      consequences={[]}
      action={t('console.form.save')}
      isDangerous={false}
      reason="optional"
      blocked={name.trim() === '' ? t('organizations.nameMissing') : undefined}
      foot={<ShowCall target={teamAdministrationContract.adminPatchTeam} input={input} />}
      onConfirm={(reason, _, isOverwriting) =>
        rename({ ...input, reason, ...(isOverwriting ? {} : { ifMatch: api.etagOf(first) }) })
      }
      onClose={onClose}
    >
      <TextField
        name="name"
        label={t('organizations.name')}
        value={name}
        hint={team.name === first.name ? '' : t('console.changed.now', { value: team.name })}
        onValue={setName}
      />
    </Confirm>
  )
}

const DeleteDialog = ({ team, onClose }: DialogProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const navigate = useNavigate()
  const { name, memberCount, organizationId } = team
  const remove = useChange(teamAdministrationContract, 'adminDeleteTeam', t('organizations.deleted', { name }), {
    isLeaving: true,
  })
  const input = { params: paramsOf(team) }
  return (
    <Confirm
      title={t('organizations.deleteTitle', { name })}
      consequences={[
        t('organizations.teamMembersLeave', { count: memberCount }),
        t('organizations.teamStay'),
        t('organizations.deleteForever'),
      ]}
      action={t('organizations.delete')}
      reason="optional"
      foot={<ShowCall target={teamAdministrationContract.adminDeleteTeam} input={input} />}
      onConfirm={async (reason, _, isOverwriting) => {
        await remove({ ...input, reason, ...(isOverwriting ? {} : { ifMatch: api.etagOf(team) }) })
        void navigate(organizationPath(organizationId), { replace: true })
      }}
      onClose={onClose}
    />
  )
}

/** Puts a member of the organization into the team. */
const AddDialog = ({ team, onClose }: DialogProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const id = useId()
  const [userId, setUserId] = useState('')
  const { data } = useQuery(
    api.query(organizationAdministrationContract, 'adminListMembers', {
      params: { id: team.organizationId },
      query: { limit: countedUpTo },
    }),
  )
  const add = useChange(teamAdministrationContract, 'adminAddTeamMember', t('console.form.saved'))
  const input = { params: { ...paramsOf(team), userId } }
  return (
    <Confirm
      title={t('organizations.addMemberTo', { name: team.name })}
      consequences={[t('organizations.teamOnlyMembers')]}
      action={t('organizations.addMember')}
      isDangerous={false}
      reason="optional"
      blocked={userId === '' ? t('organizations.userMissing') : undefined}
      foot={<ShowCall target={teamAdministrationContract.adminAddTeamMember} input={input} />}
      onConfirm={(reason) => add({ ...input, reason })}
      onClose={onClose}
    >
      <div className="field">
        <label htmlFor={id}>{t('organizations.member')}</label>
        <div className="field-box">
          <select id={id} value={userId} onChange={({ currentTarget }) => setUserId(currentTarget.value)}>
            <option value="">{t('organizations.userMissing')}</option>
            {data?.members.map((member) => (
              <option key={member.id} value={member.userId}>
                {member.user.name} · {member.user.email}
              </option>
            ))}
          </select>
          <Icon name="down" size={18} />
        </div>
        <div className="field-message" />
      </div>
    </Confirm>
  )
}

const Members = ({ team }: { readonly team: Team }) => {
  const { t } = useI18n()
  const { api, screens } = useConsole()
  const [isOpen, setIsOpen] = useState(false)
  const undo = useUndo()
  const remove = useChange(teamAdministrationContract, 'adminRemoveTeamMember')
  const params = paramsOf(team)
  return (
    <>
      <PagedPanel
        title={t('organizations.membersCounted', { count: team.memberCount })}
        permission="all-organizations:read"
        queryKey={[teamAdministrationContract.adminListTeamMembers.path, team.id]}
        load={async (place) => {
          const { members, next, total } = await api.call(teamAdministrationContract, 'adminListTeamMembers', {
            params,
            query: { limit: 10, ...place },
          })
          return { rows: members, next, total }
        }}
        idOf={({ id }) => id}
        row={({ userId, user, createdAt }) => (
          <>
            <span className="entry-text">
              <span className="entry-title">
                {screens.has('/admin/users') ? <Link to={`/admin/users/${userId}`}>{user.name}</Link> : user.name}
              </span>
              <span className="who-detail break">
                {user.email} · <Time at={createdAt} />
              </span>
            </span>
            <ActionButton
              permission="all-organizations:update"
              onClick={() =>
                undo(t('organizations.teamLeaving', { name: user.name, team: team.name }), () =>
                  remove({ params: { ...params, userId } }),
                )
              }
            >
              {t('organizations.remove')}
              <span className="visually-hidden"> {user.name}</span>
            </ActionButton>
          </>
        )}
        empty={t('organizations.teamEmpty')}
        actions={
          <ActionButton permission="all-organizations:update" icon="plus" onClick={() => setIsOpen(true)}>
            {t('organizations.addMember')}
          </ActionButton>
        }
        foot={<ShowCall target={teamAdministrationContract.adminListTeamMembers} input={{ params }} isQuery />}
      />
      {isOpen ? <AddDialog team={team} onClose={() => setIsOpen(false)} /> : null}
    </>
  )
}

const Screen = ({ team }: { readonly team: Team }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [open, setOpen] = useState<'rename' | 'delete'>()
  const close = () => setOpen(undefined)
  const { data: organization } = useQuery(
    api.query(organizationAdministrationContract, 'adminGetOrganization', { params: { id: team.organizationId } }),
  )
  return (
    <Page
      title={team.name}
      lead={t('organizations.teamLead')}
      back={{ to: organizationPath(team.organizationId), text: organization?.name ?? t('organizations.title') }}
      actions={
        <>
          <ActionButton permission="all-organizations:update" onClick={() => setOpen('rename')}>
            {t('organizations.rename')}
          </ActionButton>
          <ActionButton permission="all-organizations:update" icon="bin" onClick={() => setOpen('delete')}>
            {t('organizations.delete')}
          </ActionButton>
        </>
      }
    >
      <Members team={team} />
      {open === 'rename' ? <RenameDialog team={team} onClose={close} /> : null}
      {open === 'delete' ? <DeleteDialog team={team} onClose={close} /> : null}
    </Page>
  )
}

/** One team of an organization and who is in it. */
export const TeamScreen = () => {
  const { api } = useConsole()
  const { id = '', teamId = '' } = useParams()
  const { data, error, refetch } = useQuery(api.query(teamAdministrationContract, 'adminGetTeam', { params: { id, teamId } }))
  if (error instanceof ApiError && error.code === 'TEAM_NOT_FOUND') return <NotFound />
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return <Screen key={teamId} team={data} />
}
