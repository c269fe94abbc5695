import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { ApiError } from '../../../../src/http/client.ts'
import { apiContract } from '../../../../src/oidc/resource-servers/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { Confirm } from '../../shared/confirm.tsx'
import { Facts, Panel } from '../../shared/facts.tsx'
import { Failure } from '../../shared/failure.tsx'
import { Page, PageSkeleton } from '../../shared/page.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { useChange } from '../../shared/use-change.ts'
import { NotFound } from '../../shell/not-found.tsx'
import { ApiFacts } from './facts.tsx'
import { ApiForm } from './form.tsx'
import type { Api } from './lines.ts'
import { ApiSecretsPanel } from './secrets.tsx'

const DeleteApi = ({ api, onClose }: { readonly api: Api; readonly onClose: () => void }) => {
  const { t } = useI18n()
  const { api: calls } = useConsole()
  const navigate = useNavigate()
  const remove = useChange(apiContract, 'deleteApi', t('apis.deleted'), { isLeaving: true })
  const params = { apiId: api.id }
  return (
    <Confirm
      title={t('apis.deleteTitle', { name: api.name })}
      consequences={[t('apis.deleteFollows'), t('apis.deleteKept')]}
      action={t('apis.delete')}
      reason="optional"
      onConfirm={async (reason) => {
        await remove({ params, reason, ifMatch: calls.etagOf(api) })
        void navigate('/admin/apis')
      }}
      onClose={onClose}
      foot={<ShowCall target={apiContract.deleteApi} input={{ params }} command={['delete-api', api.identifier]} />}
    />
  )
}

const Screen = ({ api }: { readonly api: Api }) => {
  const { t } = useI18n()
  const [asked, setAsked] = useState<'edit' | 'delete'>()
  return (
    <Page
      title={api.name}
      lead={api.identifier}
      back={{ to: '/admin/apis', text: t('apis.title') }}
      actions={
        <>
          <ActionButton permission="apis:update" onClick={() => setAsked('edit')}>
            {t('apis.change')}
          </ActionButton>
          <ActionButton permission="apis:delete" onClick={() => setAsked('delete')}>
            {t('apis.delete')}
          </ActionButton>
        </>
      }
    >
      <div className="columns">
        <div className="column">
          <Panel title={t('apis.tokens')}>
            <ApiFacts api={api} />
          </Panel>
        </div>
        <div className="column">
          <Panel title={t('apis.scopes')}>
            {api.scopes.length === 0 ? <p className="panel-note">{t('apis.noScopes')}</p> : null}
            <Facts
              rows={api.scopes.map(({ name, description, permission, roles }) => [
                name,
                [description, ...(permission === null ? [] : [permission]), ...roles].join(' · '),
              ])}
            />
          </Panel>
          <ApiSecretsPanel api={api} />
        </div>
      </div>
      {asked === 'edit' ? <ApiForm api={api} onSaved={() => undefined} onClose={() => setAsked(undefined)} /> : null}
      {asked === 'delete' ? <DeleteApi api={api} onClose={() => setAsked(undefined)} /> : null}
    </Page>
  )
}

/** The screen of an API: its tokens and scopes, the applications that may use it, and its secrets. */
export const ApiScreen = () => {
  const { api } = useConsole()
  const { apiId = '' } = useParams()
  const { data, error, refetch } = useQuery({
    ...api.query(apiContract, 'getApi', { params: { apiId } }),
    // ETags are stored by the identity of the response object, so the object must not be replaced by a merged copy.
    structuralSharing: false,
  })
  if (error instanceof ApiError && error.status === 404) return <NotFound />
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return <Screen key={apiId} api={data} />
}
