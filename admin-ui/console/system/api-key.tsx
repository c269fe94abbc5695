import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { adminApiKeyContract } from '../../../src/api-keys/contract.ts'
import { ApiError } from '../../../src/http/client.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { NotFound } from '../shell/not-found.tsx'
import { ApiKeyActions, ApiKeyFacts } from './api-key-facts.tsx'
import { KeyShown } from './key-shown.tsx'

/** The screen of an API key. */
export const ApiKeyScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { id = '' } = useParams()
  const [shown, setShown] = useState<string>()
  const { data, error, refetch } = useQuery(api.query(adminApiKeyContract, 'adminGetApiKey', { params: { id } }))
  if (error instanceof ApiError && error.status === 404) return <NotFound />
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return (
    <Page
      title={data.name}
      back={{ to: '/admin/api-keys', text: t('system.apiKeys') }}
      actions={<ApiKeyActions apiKey={data} onShow={setShown} />}
    >
      <Panel title={t('system.apiKey')}>
        <ApiKeyFacts apiKey={data} />
      </Panel>
      {shown === undefined ? null : <KeyShown value={shown} onClose={() => setShown(undefined)} />}
    </Page>
  )
}
