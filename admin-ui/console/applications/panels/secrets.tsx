import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { applicationContract } from '../../../../src/oidc/clients/contract.ts'
import { Text, useI18n } from '../../../shared/text.tsx'
import { Badge, Notice } from '../../../shared/ui.tsx'
import { useConsole } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { CopyField } from '../../shared/copy-field.tsx'
import { Panel } from '../../shared/facts.tsx'
import { Failure } from '../../shared/failure.tsx'
import { Time } from '../../shared/time.tsx'
import type { Application, Secret } from '../parts.tsx'
import { RevokeDialog, RotateDialog } from './secret-dialogs.tsx'

const tones = { active: 'good', ending: 'warn', ended: 'plain' } as const

interface SecretEntryProps {
  readonly secret: Secret
  /** The permission that a person needs to revoke the secret. */
  readonly permission: 'clients:update' | 'apis:update'
  readonly onRevoke: () => void
}

export const SecretEntry = ({ secret, permission, onRevoke }: SecretEntryProps) => {
  const { t } = useI18n()
  const { hint, state, createdAt, expiresAt, lastUsedAt } = secret
  return (
    <li className="entry">
      <div className="entry-text">
        <p className="entry-title">
          <code>{hint === null ? t('clients.unnamedSecret') : `${hint}…`}</code>
          <Badge tone={tones[state]}>{t(`clients.secretState.${state}`)}</Badge>
        </p>
        <p className="entry-detail">
          <span>
            {lastUsedAt === null ? (
              t('clients.secretUnused')
            ) : (
              <Text id="clients.secretUsed" values={{ time: <Time at={lastUsedAt} /> }} />
            )}
          </span>
          <span>
            <Text id="clients.secretCreated" values={{ time: <Time at={createdAt} /> }} />
          </span>
          {expiresAt === null || state === 'ended' ? null : (
            <span>
              <Text id="clients.secretEnds" values={{ time: <Time at={expiresAt} /> }} />
            </span>
          )}
        </p>
      </div>
      {state === 'ended' ? null : (
        <ActionButton permission={permission} onClick={onRevoke}>
          {t('clients.secretRevoke')}
          <span className="visually-hidden"> {hint}</span>
        </ActionButton>
      )}
    </li>
  )
}

export const NewSecret = ({ secret }: { readonly secret: string }) => {
  const { t } = useI18n()
  return (
    <div className="panel-fields" role="status">
      <Notice tone="wait">{t('clients.secretOnce')}</Notice>
      <CopyField label={t('clients.secret')} value={secret} />
      <CopyField label={t('clients.env')} value={`OIDC_CLIENT_SECRET=${secret}`} />
    </div>
  )
}

/** The client secrets of an application. A new secret can be made while the former one is still valid. */
export const SecretsPanel = ({ application }: { readonly application: Application }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { clientId } = application
  const [made, setMade] = useState<string>()
  const [isRotating, setIsRotating] = useState(false)
  const [revoked, setRevoked] = useState<Secret>()
  const { data, error, refetch } = useQuery(api.query(applicationContract, 'listSecrets', { params: { clientId } }))
  const counting = data?.secrets.filter(({ state }) => state !== 'ended') ?? []
  return (
    <Panel
      title={t('clients.secrets')}
      actions={
        <ActionButton
          permission="clients:update"
          icon="refresh"
          blocked={counting.length > 1 ? t('clients.secretBlocked') : undefined}
          onClick={() => setIsRotating(true)}
        >
          {t('clients.secretNew')}
        </ActionButton>
      }
    >
      {made === undefined ? null : <NewSecret secret={made} />}
      {data === undefined && error !== null ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined && error === null ? <span className="placeholder bone-line entry" /> : null}
      <ul className="entries">
        {data?.secrets.map((secret) => (
          <SecretEntry key={secret.id} secret={secret} permission="clients:update" onRevoke={() => setRevoked(secret)} />
        ))}
      </ul>
      <p className="panel-note">{t('clients.secretsText')}</p>
      {isRotating ? <RotateDialog application={application} onMade={setMade} onClose={() => setIsRotating(false)} /> : null}
      {revoked === undefined ? null : (
        <RevokeDialog
          application={application}
          secret={revoked}
          isLast={counting.length === 1}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </Panel>
  )
}
