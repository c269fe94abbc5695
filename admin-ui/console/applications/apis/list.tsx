import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { apiContract } from '../../../../src/oidc/resource-servers/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { ActionButton } from '../../shared/action-button.tsx'
import type { Column } from '../../shared/data-table.tsx'
import { DataTable } from '../../shared/data-table.tsx'
import { Empty } from '../../shared/empty.tsx'
import { CopyId } from '../../shared/id.tsx'
import { Page } from '../../shared/page.tsx'
import { Time } from '../../shared/time.tsx'
import { useList } from '../../shared/use-list.ts'
import { ApiFacts } from './facts.tsx'
import { ApiForm } from './form.tsx'
import type { Api } from './lines.ts'

const apiPath = (id: string) => `/admin/apis/${encodeURIComponent(id)}`

/** An identifier is a URL and is shown in full, because its beginning and end alone would not identify the API. */
const Identifier = ({ api: { identifier, name } }: { readonly api: Api }) => (
  <span className="named">
    <span className="break">{identifier}</span>
    <CopyId id={identifier} name={name} />
  </span>
)

const useColumns = (): readonly Column<Api>[] => {
  const { t } = useI18n()
  return [
    { id: 'name', label: t('clients.name'), cell: ({ id, name }) => <Link to={apiPath(id)}>{name}</Link> },
    { id: 'identifier', label: t('apis.identifier'), cell: (api) => <Identifier api={api} /> },
    { id: 'tokenFormat', label: t('apis.format'), cell: ({ tokenFormat }) => t(`apis.format.${tokenFormat}`) },
    {
      id: 'access',
      label: t('apis.access'),
      isMinor: true,
      cell: ({ access, applications }) =>
        access === 'all' ? (
          t('apis.access.all')
        ) : (
          <span className="break">{applications.map(({ id, name }) => name ?? id).join(', ')}</span>
        ),
    },
    { id: 'createdAt', label: t('clients.createdAt'), sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}

/** The list of the APIs that accept tokens of this server. */
export const ApisScreen = () => {
  const { t } = useI18n()
  const navigate = useNavigate()
  const [isCreating, setIsCreating] = useState(false)
  const list = useList({ contract: apiContract, name: 'listApis', rows: 'apis', filters: [], isCounted: true })
  const button = (
    <ActionButton permission="apis:create" kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
      {t('apis.new')}
    </ActionButton>
  )
  return (
    <Page title={t('apis.title')} lead={t('apis.lead')} actions={button}>
      <DataTable
        label={t('apis.title')}
        list={list}
        columns={useColumns()}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={({ id }) => apiPath(id)}
        peek={(api) => <ApiFacts api={api} />}
        empty={
          <Empty icon="key" title={t('apis.empty')} text={t('apis.emptyText')}>
            {button}
          </Empty>
        }
        command={['list-apis']}
      />
      {isCreating ? (
        <ApiForm api={undefined} onSaved={({ id }) => void navigate(apiPath(id))} onClose={() => setIsCreating(false)} />
      ) : null}
    </Page>
  )
}
