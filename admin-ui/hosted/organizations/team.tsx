import { use, useState } from 'react'
import { memberContract } from '../../../src/organizations/members/contract.ts'
import { teamContract } from '../../../src/organizations/teams/contract.ts'
import { Field } from '../../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { Icon } from '../../shared/icons.tsx'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { MemberRow, MembersPanel } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Confirm } from '../account/confirm.tsx'
import { EmptyState } from '../account/empty-state.tsx'
import { AccountLink } from '../account/navigation.tsx'
import { OutcomeNotice, useAction, useOutcome } from '../account/outcome.tsx'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { RedirectContext, useOrganization } from './context.ts'
import type { Member } from './members.tsx'
import { Announcement, PagedRows, Search, usePage } from './paging.tsx'
import { organizationPath } from './routes.ts'
import { TabHeading } from './tabs.tsx'
import type { Team } from './teams.tsx'

const fields = ['name'] as const
/** How many people at most the field proposes. */
const proposals = 5

const Rename = ({ team, onRenamed }: { readonly team: Team; readonly onRenamed: () => Promise<void> }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { organization } = useOrganization()
  const form = useForm({
    api,
    fields,
    check: ({ name }) => (name.trim() === '' ? { name: t('teams.nameMissing') } : {}),
    submit: async ({ name }) => {
      const body = { teamId: team.id, data: { name: name.trim() }, organizationId: organization.id }
      await api.of(teamContract).updateTeam({ body })
      await onRenamed()
      return 'done'
    },
  })
  return (
    <Panel id="rename" title={t('teams.rename')}>
      <Form state={form} working={t('common.saving')} done={t('common.saved')}>
        <Field name="name" label={t('teams.name')} autoComplete="off" defaultValue={team.name} error={form.errors.name} />
        <SubmitButton of={form}>{t('common.save')}</SubmitButton>
      </Form>
    </Panel>
  )
}

interface AddProps {
  readonly busy: string | undefined
  /** User ids of the team's members. */
  readonly memberIds: readonly string[]
  readonly onAdd: (member: Member) => void
}

const AddPeople = ({ busy, memberIds, onAdd }: AddProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { organization } = useOrganization()
  const [search, setSearch] = useState('')
  const found = useLoader(async () => {
    if (search === '') return []
    const query = { organizationId: organization.id, search, limit: proposals + 1 }
    return (await api.of(memberContract).listMembers({ query })).members
  }, search)
  const list = (found.value ?? []).filter(({ userId }) => !memberIds.includes(userId))
  return (
    <Panel id="add" title={t('teams.add')}>
      <Search label={t('members.search')} onSearch={setSearch} />
      <Announcement>{search === '' || found.value === undefined ? '' : t('members.count', { count: list.length })}</Announcement>
      {search === '' ? <p className="quiet">{t('teams.addText')}</p> : null}
      {search !== '' && found.value !== undefined && list.length === 0 ? <p className="quiet">{t('teams.addNone')}</p> : null}
      <ul className="rows">
        {list.slice(0, proposals).map((member) => (
          <li key={member.id} className="row">
            <MemberRow member={member}>
              <Button
                kind="secondary"
                icon="plus"
                working={busy === member.id}
                name={t('teams.addName', { name: member.user.name })}
                onClick={() => onAdd(member)}
              >
                {t('teams.addSubmit')}
              </Button>
            </MemberRow>
          </li>
        ))}
      </ul>
      {list.length > proposals ? <p className="quiet rows-foot">{t('teams.addMore')}</p> : null}
    </Panel>
  )
}

const TeamPage = ({ team, reload }: { readonly team: Team; readonly reload: () => Promise<void> }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { organization, can } = useOrganization()
  const redirectTo = use(RedirectContext)
  const organizationId = organization.id
  const page = usePage(async (at) => {
    const query = { organizationId, filterField: 'teamId', filterValue: team.id, ...at } as const
    const { members, total } = await api.of(memberContract).listMembers({ query })
    return { rows: members, total }
  })
  const ids = useLoader(() => api.of(teamContract).listTeamMembers({ query: { organizationId, teamId: team.id, limit: 1000 } }))
  const reloadMembers = () => Promise.all([page.reload(), ids.reload()])
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const [isRemoving, setRemoving] = useState(false)
  const canUpdate = can('team', 'update')

  const add = ({ id, userId, user: { name } }: Member) =>
    run(
      id,
      async () => {
        await api.of(teamContract).addTeamMember({ body: { teamId: team.id, userId, organizationId } })
        await reloadMembers()
      },
      t('teams.added', { name }),
    )
  const takeOut = ({ id, userId, user: { name } }: Member) =>
    run(
      id,
      async () => {
        await api.of(teamContract).removeTeamMember({ body: { teamId: team.id, userId, organizationId } })
        await reloadMembers()
      },
      t('teams.memberRemoved', { name }),
    )
  const remove = () => {
    setRemoving(false)
    run('remove', async () => {
      await api.of(teamContract).removeTeam({ body: { teamId: team.id, organizationId } })
      redirectTo(organizationPath(organization.slug, 'teams'), t('teams.removed', { team: team.name }), 'replace')
    })
  }
  return (
    <>
      <TabHeading
        title={team.name}
        lead={
          <AccountLink path={organizationPath(organization.slug, 'teams')} className="lead-link">
            <Icon name="back" size={16} />
            {t('teams.all')}
          </AccountLink>
        }
      />
      <OutcomeNotice of={outcome} />
      <Panel id="team-members" title={t('org.members')}>
        <MembersPanel<Member>
          list={(row) => (
            <PagedRows
              of={page}
              room={2}
              row={row}
              empty={
                <EmptyState icon="people" title={t('teams.empty')} text={t(canUpdate ? 'teams.emptyText' : 'teams.emptyAsk')} />
              }
            />
          )}
          actionsOf={(member) => {
            const name = t('teams.removeMemberName', { name: member.user.name })
            return canUpdate ? [{ label: t('teams.removeMember'), name, onSelect: () => takeOut(member) }] : []
          }}
          busy={busy}
        />
      </Panel>
      {canUpdate ? <AddPeople busy={busy} memberIds={ids.value?.map(({ userId }) => userId) ?? []} onAdd={add} /> : null}
      {canUpdate ? <Rename team={team} onRenamed={reload} /> : null}
      {can('team', 'delete') ? (
        <Panel id="remove" title={t('teams.remove')}>
          <p className="quiet panel-lead">{t('teams.removeText')}</p>
          <Button kind="secondary" icon="bin" working={busy === 'remove'} onClick={() => setRemoving(true)}>
            {t('teams.remove')}
          </Button>
        </Panel>
      ) : null}
      {isRemoving ? (
        <Confirm
          title={t('teams.removeTitle', { team: team.name })}
          text={t('teams.removeText')}
          action={t('teams.remove')}
          onConfirm={remove}
          onCancel={() => setRemoving(false)}
        />
      ) : null}
    </>
  )
}

/** The page of a team: its members, name and deletion. */
export const TeamTab = ({ id }: { readonly id: string }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { organization } = useOrganization()
  const team = useLoader(async () => {
    const teams = await api.of(teamContract).listTeams({ query: { organizationId: organization.id, limit: 1000 } })
    return teams.find((candidate) => candidate.id === id) ?? 'none'
  })
  if (team.value === 'none') {
    return (
      <>
        <TabHeading title={t('org.teams')} />
        <Panel>
          <EmptyState icon="people" title={t('teams.notFound')} text={t('teams.notFoundText')}>
            <AccountLink path={organizationPath(organization.slug, 'teams')} className="button button-secondary">
              {t('teams.all')}
            </AccountLink>
          </EmptyState>
        </Panel>
      </>
    )
  }
  if (team.value !== undefined) return <TeamPage team={team.value} reload={team.reload} />
  return (
    <Panel>
      <Loaded of={team} rows={2}>
        {() => null}
      </Loaded>
    </Panel>
  )
}
