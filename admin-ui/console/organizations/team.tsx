import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { ApiError } from '../../../src/http/client.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import { teamAdministrationContract } from '../../../src/organizations/teams/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Field, SelectField } from '../../shared/field.tsx'
import { AreaContext, MembersPanel } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { PagedPanel } from '../shared/paged-panel.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import { useUndo } from '../shared/use-undo.tsx'
import { NotFound } from '../shell/not-found.tsx'
import { countedUpTo } from './parts.tsx'
import { organizationPath } from './paths.ts'
import { consoleArea } from './rows.tsx'

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
      <Field
        autoComplete="off"
        maxLength={128}
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

/** A dialog that adds a member of the organization to the team. */
const AddDialog = ({ team, onClose }: DialogProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
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
      <SelectField
        name="member"
        label={t('organizations.member')}
        value={userId}
        options={[
          { value: '', text: t('organizations.userMissing') },
          ...(data?.members.map(({ userId: value, user }) => ({ value, text: `${user.name} · ${user.email}` })) ?? []),
        ]}
        onValue={setUserId}
      />
    </Confirm>
  )
}

type Member = Answer<WireApi<typeof teamAdministrationContract>['adminListTeamMembers']>['members'][number]

const Members = ({ team }: { readonly team: Team }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const undo = useUndo()
  const remove = useChange(teamAdministrationContract, 'adminRemoveTeamMember')
  const params = paramsOf(team)
  return (
    <MembersPanel<Member, 'add'>
      list={(row, open) => (
        <PagedPanel
          title={t('organizations.membersCounted', { count: team.memberCount })}
          permission="all-organizations:read"
          queryKey={[teamAdministrationContract.adminListTeamMembers.path, team.id]}
          load={async (place) => {
            const query = { limit: 10, ...place }
            const { members, next, total } = await api.call(teamAdministrationContract, 'adminListTeamMembers', { params, query })
            return { rows: members, next, total }
          }}
          idOf={({ id }) => id}
          row={row}
          empty={t('organizations.teamEmpty')}
          actions={
            <ActionButton permission="all-organizations:update" icon="plus" onClick={() => open('add')}>
              {t('organizations.addMember')}
            </ActionButton>
          }
          foot={<ShowCall target={teamAdministrationContract.adminListTeamMembers} input={{ params }} isQuery />}
        />
      )}
      actionsOf={({ userId, user: { name } }) => {
        const label = t('organizations.remove')
        const leaving = t('organizations.teamLeaving', { name, team: team.name })
        const onSelect = () => undo(leaving, () => remove({ params: { ...params, userId } }))
        return [{ label, name: `${label} ${name}`, onSelect }]
      }}
      dialogOf={(_, onClose) => <AddDialog team={team} onClose={onClose} />}
    />
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
      <AreaContext value={consoleArea}>
        <Members team={team} />
      </AreaContext>
      {open === 'rename' ? <RenameDialog team={team} onClose={close} /> : null}
      {open === 'delete' ? <DeleteDialog team={team} onClose={close} /> : null}
    </Page>
  )
}

/** The screen of a team, with its members. */
export const TeamScreen = () => {
  const { api } = useConsole()
  const { id = '', teamId = '' } = useParams()
  const { data, error, refetch } = useQuery(api.query(teamAdministrationContract, 'adminGetTeam', { params: { id, teamId } }))
  if (error instanceof ApiError && error.code === 'TEAM_NOT_FOUND') return <NotFound />
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return <Screen key={teamId} team={data} />
}
