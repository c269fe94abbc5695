import { useState } from 'react'
import { teamContract } from '../../../src/organizations/teams/contract.ts'
import { Field } from '../../shared/field.tsx'
import { Form, useForm } from '../../shared/form.tsx'
import { Icon } from '../../shared/icons.tsx'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { EmptyState } from '../account/empty-state.tsx'
import { AccountLink } from '../account/navigation.tsx'
import { OutcomeNotice, useOutcome } from '../account/outcome.tsx'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { useOrganization } from './context.ts'
import type { TabProps } from './organization.tsx'
import { Pager, pageSize } from './paging.tsx'
import { teamPath } from './routes.ts'
import { TabHeading } from './tabs.tsx'

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
        <Button type="submit" working={form.pending} blocked={form.waitSeconds > 0}>
          {form.waitSeconds > 0 ? t('problem.tooManyWait', { count: form.waitSeconds }) : t('teams.create')}
        </Button>
      </Form>
    </Panel>
  )
}

export const TeamsTab = ({ notice }: TabProps) => {
  const { api } = useHosted()
  const { t, date } = useI18n()
  const { organization, can } = useOrganization()
  const outcome = useOutcome()
  const [offset, setOffset] = useState(0)
  const query = { organizationId: organization.id }
  const teams = useLoader(
    () => api.of(teamContract).listTeams({ query: { ...query, limit: pageSize + 1, offset } }),
    String(offset),
  )
  const own = useLoader(() => api.of(teamContract).listUserTeams({ query }))
  const isMine = (id: string) => own.value?.some((team) => team.id === id) === true
  return (
    <>
      <TabHeading title={t('org.teams')} lead={t('teams.lead')} />
      <OutcomeNotice of={{ ...outcome, success: notice }} />
      <Panel>
        <Loaded of={teams} rows={2}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState icon="people" title={t('teams.none')} text={t('teams.noneText')} />
            ) : (
              <>
                <ul className="rows">
                  {list.slice(0, pageSize).map(({ id, name, createdAt }) => (
                    <li key={id} className="row row-linked">
                      <span className="row-tile">
                        <Icon name="people" />
                      </span>
                      <span className="row-text">
                        <span className="row-title">
                          <AccountLink path={teamPath(organization.slug, id)} className="row-link">
                            {name}
                          </AccountLink>
                          {isMine(id) ? <Badge tone="good">{t('teams.yours')}</Badge> : null}
                        </span>
                        <span className="row-detail">
                          <span>{t('teams.since', { date: date(createdAt) })}</span>
                        </span>
                      </span>
                      <Icon name="next" size={16} />
                    </li>
                  ))}
                </ul>
                <Pager
                  offset={offset}
                  shown={Math.min(list.length, pageSize)}
                  hasMore={list.length > pageSize}
                  onGo={setOffset}
                />
              </>
            )
          }
        </Loaded>
      </Panel>
      {can('team', 'create') ? <NewTeam onMade={() => teams.reload()} /> : null}
    </>
  )
}
