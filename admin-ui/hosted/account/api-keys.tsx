import { useState } from 'react'
import { apiKeyContract } from '../../../src/api-keys/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Icon } from '../../shared/icons.tsx'
import { useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { Confirm } from './confirm.tsx'
import { OutcomeNotice, useAction, useOutcome } from './outcome.tsx'
import { Panel } from './section.tsx'

type ApiKey = Answer<WireApi<typeof apiKeyContract>['listApiKeys']>['apiKeys'][number]

/** A panel with the person's API keys. Renders nothing if there are none. */
export const ApiKeysPanel = () => {
  const { api } = useHosted()
  const { t, ago, date } = useI18n()
  const calls = api.of(apiKeyContract)
  const keys = useLoader(async () => (await calls.listApiKeys({ query: {} })).apiKeys)
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const [asking, setAsking] = useState<ApiKey>()
  const revoke = ({ id, name }: ApiKey) => {
    setAsking(undefined)
    const call = async () => {
      await calls.deleteApiKey({ body: { keyId: id } })
      await keys.reload()
    }
    run(id, call, t('apiKeys.revoked', { name }))
  }
  if (keys.value === undefined || (keys.value.length === 0 && outcome.success === undefined)) return null
  return (
    <Panel id="api-keys" title={t('apiKeys.title')}>
      <p className="quiet panel-lead">{t('apiKeys.lead')}</p>
      <OutcomeNotice of={outcome} />
      <ul className="rows">
        {keys.value.map((key) => (
          <li key={key.id} className="row">
            <span className="row-tile">
              <Icon name="key" />
            </span>
            <span className="row-text">
              <span className="row-title">{key.name}</span>
              <span className="row-detail">
                <span>{t('passkeys.since', { date: date(key.createdAt) })}</span>
                <span>
                  {key.lastUsedAt === null ? t('passkeys.unused') : t('passkeys.used', { when: ago(key.lastUsedAt, new Date()) })}
                </span>
              </span>
            </span>
            <span className="row-actions">
              <Button
                kind="secondary"
                working={busy === key.id}
                name={t('apiKeys.revokeName', { name: key.name })}
                onClick={() => setAsking(key)}
              >
                {t('apiKeys.revoke')}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {asking === undefined ? null : (
        <Confirm
          title={t('apiKeys.revokeTitle', { name: asking.name })}
          text={t('apiKeys.revokeText')}
          action={t('apiKeys.revoke')}
          onConfirm={() => revoke(asking)}
          onCancel={() => setAsking(undefined)}
        />
      )}
    </Panel>
  )
}
