import { useState } from 'react'
import { teamContract } from '../../../src/organizations/teams/contract.ts'
import { Field } from '../../shared/field.tsx'
import { Form, useForm } from '../../shared/form.tsx'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { Arriving, useLoaded } from '../account/loaded.tsx'
import { PlaceLink } from '../account/places.tsx'
import { Panel } from '../account/section.tsx'
import { SignInAgain } from '../account/sign-in-again.tsx'
import { Told, useTold } from '../account/told.tsx'
import { useHosted } from '../context.tsx'
import { useHere } from './here.ts'
import { Empty } from './nothing.tsx'
import { Pager, pageSize } from './paged.tsx'
import type { TabProps } from './place.tsx'
import { teamPath } from './spots.ts'
import { TabHeading } from './tabs.tsx'

const fields = ['name'] as const

const NewTeam = ({ onMade }: { readonly onMade: () => Promise<void> }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { organization } = useHere()
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
      <Form state={form} working={t('common.saving')} done={t('teams.made', { team: made })} again={<SignInAgain />}>
        <Field name="name" label={t('teams.name')} autoComplete="off" error={form.errors.name} />
        <Button type="submit" working={form.pending} blocked={form.waitSeconds > 0}>
          {form.waitSeconds > 0 ? t('problem.tooManyWait', { count: form.waitSeconds }) : t('teams.create')}
        </Button>
      </Form>
    </Panel>
  )
}

export const TeamsTab = ({ greeting }: TabProps) => {
  const { api } = useHosted()
  const { t, date } = useI18n()
  const { organization, may } = useHere()
  const told = useTold()
  const [offset, setOffset] = useState(0)
  const query = { organizationId: organization.id }
  const teams = useLoaded(
    () => api.of(teamContract).listTeams({ query: { ...query, limit: pageSize + 1, offset } }),
    String(offset),
  )
  const mine = useLoaded(() => api.of(teamContract).listUserTeams({ query }))
  const isMine = (id: string) => mine.value?.some((team) => team.id === id) === true
  return (
    <>
      <TabHeading title={t('org.teams')} lead={t('teams.lead')} />
      <Told of={{ ...told, good: greeting }} />
      <Panel>
        <Arriving of={teams} rows={2}>
          {(list) =>
            list.length === 0 ? (
              <Empty icon="people" title={t('teams.none')} text={t('teams.noneText')} />
            ) : (
              <>
                <ul className="rows">
                  {list.slice(0, pageSize).map(({ id, name, createdAt }) => (
                    <li key={id} className="row row-leads">
                      <span className="row-tile">
                        <Icon name="people" />
                      </span>
                      <span className="row-words">
                        <span className="row-title">
                          <PlaceLink path={teamPath(organization.slug, id)} className="row-link">
                            {name}
                          </PlaceLink>
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
        </Arriving>
      </Panel>
      {may('team', 'create') ? <NewTeam onMade={() => teams.reload()} /> : null}
    </>
  )
}
