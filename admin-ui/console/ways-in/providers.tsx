import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { providerAdministrationContract } from '../../../src/authentication/methods/federated/administration/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { settingsContract } from '../../../src/settings/contract.ts'
import { statisticsContract } from '../../../src/statistics/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole, usePermission } from '../api.ts'
import type { Setting, Value } from '../settings/draft.ts'
import { ReviewDialog } from '../settings/review.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Panel } from '../shared/facts.tsx'
import { Page } from '../shared/page.tsx'
import { useList } from '../shared/use-list.ts'
import { AddProvider } from './add-provider.tsx'
import { mostCounted } from './provider-use.tsx'
import './ways-in.css'

type Providers = Answer<WireApi<typeof providerAdministrationContract>['adminListProviders']>
export type Provider = Providers['providers'][number]
export type BuiltIn = Providers['builtIn'][number]

const pathOf = ({ id }: Provider) => `/admin/providers/${encodeURIComponent(id)}`

/**
 * Returns a function that gives the number of sign-ins with a provider in the last thirty days. The number is undefined if it is unknown,
 * or if the person may not read it.
 */
const useSignIns = () => {
  const { api } = useConsole()
  const { isAllowed } = usePermission('health:read')
  const { data } = useQuery({ ...api.query(statisticsContract, 'statistics', { query: {} }), enabled: isAllowed })
  const counted = data?.series.filter(({ measure }) => measure === 'providerSignIns')
  // The statistics count only the most used providers by name, and all others together. If there are others, the number of a provider
  // that is not listed is unknown; otherwise it is zero.
  const rest = counted?.some(({ key }) => key === '*') ? undefined : 0
  return (id: string) => (counted === undefined ? undefined : (counted.find(({ key }) => key === id)?.total ?? rest))
}

const useColumns = (): readonly Column<Provider>[] => {
  const { t, locale } = useI18n()
  const signInsOf = useSignIns()
  const number = new Intl.NumberFormat(locale)
  return [
    { id: 'name', label: t('ways.provider'), cell: (provider) => <Link to={pathOf(provider)}>{provider.name}</Link> },
    { id: 'type', label: t('ways.type'), cell: ({ type }) => t(`ways.type.${type}`) },
    {
      id: 'accounts',
      label: t('ways.accounts'),
      cell: ({ accounts }) => (accounts > mostCounted ? t('ways.accountsMore', { count: mostCounted }) : number.format(accounts)),
    },
    {
      id: 'signIns',
      label: t('ways.signIns'),
      cell: ({ id }) => {
        const count = signInsOf(id)
        return count === undefined ? '–' : number.format(count)
      },
    },
    {
      id: 'clientId',
      label: t('ways.clientId'),
      isMinor: true,
      cell: ({ clientId }) => <code className="break">{clientId}</code>,
    },
    {
      id: 'scopes',
      label: t('ways.scopes'),
      isMinor: true,
      cell: ({ scopes }) => <span className="break">{scopes.join(' ')}</span>,
    },
    {
      id: 'signUp',
      label: t('ways.newPeople'),
      cell: ({ signUpEnabled }) => (
        <Badge tone={signUpEnabled ? 'good' : 'plain'}>{t(signUpEnabled ? 'ways.open' : 'ways.closed')}</Badge>
      ),
    },
    {
      id: 'trusts',
      label: t('ways.trustsEmail'),
      isMinor: true,
      cell: ({ trustsEmail }) => t(trustsEmail ? 'console.yes' : 'console.no'),
    },
  ]
}

/** Ids of the identity providers that are disabled. */
const switchedOff = (settings: readonly Setting[]): readonly string[] =>
  settings.flatMap(({ key, value }) => {
    const [, id] = /^social\.([^.]+)\.enabled$/.exec(key) ?? []
    return id !== undefined && value === false ? [id] : []
  })

/** The list of identity providers: the enabled ones with their present settings, and the disabled ones. */
export const ProvidersScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const list = useList({ contract: providerAdministrationContract, name: 'adminListProviders', rows: 'providers', filters: [] })
  const { isAllowed: readsSettings } = usePermission('settings:read')
  const { data: all } = useQuery(api.query(providerAdministrationContract, 'adminListProviders'))
  const { data: answer } = useQuery({ ...api.query(settingsContract, 'listSettings'), enabled: readsSettings })
  const [isAdding, setIsAdding] = useState(false)
  const [reviewed, setReviewed] = useState<Readonly<Record<string, Value>>>()
  const off = answer === undefined ? [] : switchedOff(answer.settings)
  return (
    <Page
      title={t('console.screen.providers')}
      lead={t('ways.providersLead')}
      actions={
        readsSettings ? (
          <ActionButton permission="settings:update" kind="primary" icon="plus" onClick={() => setIsAdding(true)}>
            {t('ways.providerAdd')}
          </ActionButton>
        ) : undefined
      }
    >
      <DataTable
        label={t('console.screen.providers')}
        list={list}
        columns={useColumns()}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={pathOf}
        empty={<Empty icon="key" title={t('ways.providersEmpty')} text={t('ways.providersEmptyText')} />}
      />
      {off.length === 0 ? null : (
        <Panel title={t('ways.providersOff')}>
          <ul className="glance">
            {off.map((id) => (
              <li key={id} className="glance-line">
                <code className="glance-name">{id}</code>
                <span className="glance-state">
                  <Badge tone="plain">{t('ways.off')}</Badge>
                </span>
                <span>
                  <ActionButton permission="settings:update" onClick={() => setReviewed({ [`social.${id}.enabled`]: true })}>
                    {t('ways.providerOn')}
                    <span className="visually-hidden">: {id}</span>
                  </ActionButton>
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {isAdding && all !== undefined ? (
        <AddProvider
          builtIn={all.builtIn}
          taken={[...all.providers.map(({ id }) => id), ...off]}
          onDone={(settings) => {
            setIsAdding(false)
            setReviewed(settings)
          }}
          onClose={() => setIsAdding(false)}
        />
      ) : null}
      {reviewed === undefined || answer === undefined ? null : (
        <ReviewDialog answer={answer} draft={{ set: reviewed, unset: [] }} onClose={() => setReviewed(undefined)} />
      )}
    </Page>
  )
}
