import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiContract } from '../../../../src/oidc/resource-servers/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { Notice } from '../../../shared/ui.tsx'
import { useConsole } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { Confirm } from '../../shared/confirm.tsx'
import { CopyField } from '../../shared/copy-field.tsx'
import { Panel } from '../../shared/facts.tsx'
import { Failure } from '../../shared/failure.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { useChange } from '../../shared/use-change.ts'
import { SecretEntry } from '../panels/secrets.tsx'
import type { Secret } from '../parts.tsx'
import type { Api } from './lines.ts'

/** The secrets with which an API calls the introspection endpoint. A new secret can be made while the former one is still valid. */
export const ApiSecretsPanel = ({ api }: { readonly api: Api }) => {
  const { t } = useI18n()
  const { api: calls } = useConsole()
  const params = { apiId: api.id }
  const [made, setMade] = useState<string>()
  const [isMaking, setIsMaking] = useState(false)
  const [revoked, setRevoked] = useState<Secret>()
  const { data, error, refetch } = useQuery(calls.query(apiContract, 'listApiSecrets', { params }))
  const rotate = useChange(apiContract, 'rotateApiSecret', t('clients.secretMade'))
  const revoke = useChange(apiContract, 'revokeApiSecret', t('clients.secretRevoked'))
  const counting = data?.secrets.filter(({ state }) => state !== 'ended') ?? []
  return (
    <Panel
      title={t('clients.secrets')}
      actions={
        <ActionButton
          permission="apis:update"
          icon="refresh"
          blocked={counting.length > 1 ? t('clients.secretBlocked') : undefined}
          onClick={() => setIsMaking(true)}
        >
          {t('clients.secretNew')}
        </ActionButton>
      }
    >
      {made === undefined ? null : (
        <div className="panel-fields" role="status">
          <Notice tone="wait">{t('apis.secretOnce')}</Notice>
          <CopyField label={t('apis.id')} value={api.id} />
          <CopyField label={t('clients.secret')} value={made} />
        </div>
      )}
      {data === undefined && error !== null ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      <ul className="entries">
        {data?.secrets.map((secret) => (
          <SecretEntry key={secret.id} secret={secret} permission="apis:update" onRevoke={() => setRevoked(secret)} />
        ))}
      </ul>
      <p className="panel-note">{t('apis.secretsText')}</p>
      {isMaking ? (
        <Confirm
          title={t('clients.secretNewTitle', { name: api.name })}
          consequences={[t('apis.secretFollows'), t('clients.secretNewOld')]}
          action={t('clients.secretMake')}
          isDangerous={false}
          onConfirm={async (reason) => setMade((await rotate({ params, body: {}, reason })).secret)}
          onClose={() => setIsMaking(false)}
          foot={
            <ShowCall
              target={apiContract.rotateApiSecret}
              input={{ params, body: {} }}
              command={['rotate-api-secret', api.identifier]}
            />
          }
        />
      ) : null}
      {revoked === undefined ? null : (
        <Confirm
          title={t('clients.secretRevokeTitle', { hint: `${revoked.hint}…` })}
          consequences={[t('apis.secretRevokeFollows')]}
          action={t('clients.secretRevoke')}
          onConfirm={(reason) => revoke({ params: { ...params, secretId: revoked.id }, reason })}
          onClose={() => setRevoked(undefined)}
          foot={
            <ShowCall
              target={apiContract.revokeApiSecret}
              input={{ params: { ...params, secretId: revoked.id } }}
              command={['rotate-api-secret', api.identifier, '--revoke', revoked.id]}
            />
          }
        />
      )}
    </Panel>
  )
}
