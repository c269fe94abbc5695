import { useState } from 'react'
import { keyOwnerKinds } from '../../../src/access/key-permissions.ts'
import { adminApiKeyContract } from '../../../src/api-keys/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { FilterName } from '../shared/filter-name.tsx'
import { FilterSelect, SearchBox } from '../shared/filters.tsx'
import { Named } from '../shared/named.tsx'
import { Page } from '../shared/page.tsx'
import { Time } from '../shared/time.tsx'
import { useList } from '../shared/use-list.ts'
import type { ApiKey } from './api-key-facts.tsx'
import { ApiKeyActions, ApiKeyFacts, KeyState } from './api-key-facts.tsx'
import { CreateKey } from './create-key.tsx'
import { KeyShown } from './key-shown.tsx'
import '../styles/system.css'

const useColumns = (): readonly Column<ApiKey>[] => {
  const { t } = useI18n()
  return [
    {
      id: 'name',
      label: t('system.name'),
      cell: ({ name, prefix }) => (
        <span className="who-text">
          {name}
          <code className="who-detail">{prefix}…</code>
        </span>
      ),
    },
    {
      id: 'owner',
      label: t('system.owner'),
      cell: ({ ownerKind, owner }) => (owner === null ? t(`system.owner.${ownerKind}`) : <Named of={owner} />),
    },
    { id: 'state', label: t('system.state'), cell: (key) => <KeyState apiKey={key} /> },
    {
      id: 'permissions',
      label: t('system.permissions'),
      isMinor: true,
      cell: ({ permissions: [first, ...more] }) => (
        <span>
          <code>{first}</code>
          {more.length === 0 ? '' : ` +${more.length}`}
        </span>
      ),
    },
    {
      id: 'lastUsed',
      label: t('system.lastUsed'),
      isMinor: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('system.neverUsed') : <Time at={lastUsedAt} />),
    },
    { id: 'createdAt', label: t('system.createdAt'), sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}

/** The list of all API keys, with a button that makes a key of the instance. */
export const ApiKeysScreen = () => {
  const { t } = useI18n()
  const [isCreating, setIsCreating] = useState(false)
  const [shown, setShown] = useState<string>()
  const list = useList({
    contract: adminApiKeyContract,
    name: 'adminListApiKeys',
    rows: 'apiKeys',
    filters: ['search', 'ownerKind', 'userId', 'organizationId'],
    isCounted: true,
  })
  return (
    <Page
      title={t('system.apiKeys')}
      lead={t('system.apiKeysLead')}
      actions={
        <ActionButton permission="api-keys:create" kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
          {t('system.createKey')}
        </ActionButton>
      }
    >
      <div className="filters">
        <SearchBox list={list} label={t('system.searchKey')} />
        <FilterSelect
          list={list}
          name="ownerKind"
          label={t('system.owner')}
          options={keyOwnerKinds.map((kind) => [kind, t(`system.owner.${kind}`)])}
        />
        <FilterName list={list} name="userId" label={t('system.person')} kinds={['user']} known={({ owner }) => [owner]} />
        <FilterName
          list={list}
          name="organizationId"
          label={t('system.organization')}
          kinds={['organization']}
          known={({ owner }) => [owner]}
        />
      </div>
      <DataTable
        label={t('system.apiKeys')}
        list={list}
        columns={useColumns()}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={({ id }) => `/admin/api-keys/${id}`}
        peek={(key) => (
          <>
            <ApiKeyFacts apiKey={key} />
            <div className="peek-part">
              <ApiKeyActions apiKey={key} onShow={setShown} />
            </div>
          </>
        )}
        empty={<Empty icon="key" title={t('system.apiKeysEmpty')} text={t('system.apiKeysEmptyText')} />}
        command={[
          'list-api-keys',
          ...(list.query['search'] ? ['--search', list.query['search']] : []),
          ...(list.query['ownerKind'] === undefined ? [] : ['--owner', list.query['ownerKind']]),
        ]}
      />
      {isCreating ? <CreateKey onMade={setShown} onClose={() => setIsCreating(false)} /> : null}
      {shown === undefined ? null : <KeyShown value={shown} onClose={() => setShown(undefined)} />}
    </Page>
  )
}
