import { useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import { teamContract } from '../../../src/organizations/teams/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Field } from '../../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useLoader } from '../../shared/loading.tsx'
import { TeamsPanel } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { EmptyState } from '../account/empty-state.tsx'
import { AccountLink } from '../account/navigation.tsx'
import { OutcomeNotice, useOutcome } from '../account/outcome.tsx'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { useOrganization } from './context.ts'
import type { TabProps } from './organization.tsx'
import { PagedRows, usePage } from './paging.tsx'
import { teamPath } from './routes.ts'
import { Tile } from './rows.tsx'
import { TabHeading } from './tabs.tsx'

export type Team = Answer<WireApi<typeof teamContract>['listTeams']>[number]

const fields = ['name'] as const

const NewTeam = ({ onMade }: { readonly onMade: () => Promise<void> }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { organization } = useOrganization()
  const [made, setMade] = useState('')
  const form = useForm({
    api,
    fields,
    check: ({ name }) => (name.trim() === '' ? { name: t('teams.nameMissing') } : {}),
    submit: async ({ name }) => {
      await api.of(teamContract).createTeam({ body: { name: name.trim(), organizationId: organization.id } })
      setMade(name.trim())
      form.ref.current?.reset()
      await onMade()
      return 'done'
    },
  })
  return (
    <Panel id="new-team" title={t('teams.new')}>
      <Form state={form} working={t('common.saving')} done={t('teams.created', { team: made })}>
        <Field name="name" label={t('teams.name')} autoComplete="off" error={form.errors.name} />
        <SubmitButton of={form}>{t('teams.create')}</SubmitButton>
      </Form>
    </Panel>
  )
}

export const TeamsTab = ({ notice }: TabProps) => {
  const { api } = useHosted()
  const { t, date } = useI18n()
  const { organization, can } = useOrganization()
  const outcome = useOutcome()
  const query = { organizationId: organization.id }
  const page = usePage(async (at) => ({ rows: await api.of(teamContract).listTeams({ query: { ...query, ...at } }) }))
  const own = useLoader(() => api.of(teamContract).listUserTeams({ query }))
  const isMine = (id: string) => own.value?.some((team) => team.id === id) === true
  return (
    <>
      <TabHeading title={t('org.teams')} lead={t('teams.lead')} />
      <OutcomeNotice of={{ ...outcome, success: notice }} />
      <Panel>
        <TeamsPanel<Team>
          list={(row) => (
            <PagedRows
              of={page}
              room={2}
              row={row}
              isLinked
              empty={<EmptyState icon="people" title={t('teams.none')} text={t('teams.noneText')} />}
            />
          )}
          partsOf={({ id, name, createdAt }) => ({
            mark: <Tile icon="people" />,
            title: (
              <>
                <AccountLink path={teamPath(organization.slug, id)} className="row-link">
                  {name}
                </AccountLink>
                {isMine(id) ? <Badge tone="good">{t('teams.yours')}</Badge> : null}
              </>
            ),
            details: <span>{t('teams.since', { date: date(createdAt) })}</span>,
            children: <Icon name="next" size={16} />,
          })}
        />
      </Panel>
      {can('team', 'create') ? <NewTeam onMade={page.reload} /> : null}
    </>
  )
}
