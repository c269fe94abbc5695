import { useState } from 'react'
import { adminApiKeyContract } from '../../../src/api-keys/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Field } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { Facts } from '../shared/facts.tsx'
import { Id } from '../shared/id.tsx'
import { Named } from '../shared/named.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { EditKey, SwitchKey } from './edit-key.tsx'

export type ApiKey = Answer<WireApi<typeof adminApiKeyContract>['adminGetApiKey']>

/** A badge for the present state of an API key. */
export const KeyState = ({ apiKey: { enabled, expiresAt } }: { readonly apiKey: ApiKey }) => {
  const { t } = useI18n()
  if (!enabled) return <Badge tone="bad">{t('system.keyDisabled')}</Badge>
  const isOver = expiresAt !== null && new Date(expiresAt) <= new Date()
  return isOver ? <Badge tone="warn">{t('system.keyExpired')}</Badge> : <Badge tone="good">{t('system.keyWorks')}</Badge>
}

/** All properties of an API key. Its secret is not among them. */
export const ApiKeyFacts = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const { t } = useI18n()
  const { owner, creator, expiresAt, lastUsedAt, allowedNetworks, secrets } = apiKey
  return (
    <Facts
      rows={[
        [t('system.prefix'), <code key="prefix">{apiKey.prefix}…</code>],
        [t('system.state'), <KeyState key="state" apiKey={apiKey} />],
        [t('system.owner'), t(`system.owner.${apiKey.ownerKind}`)],
        [t('system.person'), owner?.kind === 'user' ? <Named key="user" of={owner} /> : undefined],
        [t('system.organization'), owner?.kind === 'organization' ? <Named key="organization" of={owner} /> : undefined],
        [t('system.permissions'), <code key="permissions">{apiKey.permissions.join(' ')}</code>],
        [t('system.networks'), allowedNetworks.length === 0 ? t('system.everywhere') : allowedNetworks.join(', ')],
        [t('system.lastUsed'), lastUsedAt === null ? t('system.neverUsed') : <Time key="used" at={lastUsedAt} exact />],
        [t('system.expiresAt'), expiresAt === null ? t('system.noEnd') : <Time key="ends" at={expiresAt} exact />],
        [t('system.secrets'), String(secrets.length)],
        [t('system.createdAt'), <Time key="created" at={apiKey.createdAt} exact />],
        [t('system.createdBy'), creator === null ? undefined : <Named key="by" of={creator} />],
        [t('system.id'), <Id key="id" id={apiKey.id} />],
      ]}
    />
  )
}

const hoursOf = (form: FormData) => String(form.get('hours') ?? '').trim()
const overlapOf = (form: FormData) => (hoursOf(form) === '' ? {} : { overlapSeconds: Math.round(Number(hoursOf(form)) * 3600) })

export interface Changing {
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

const Rotate = ({ apiKey, onShow, onClose }: Changing & { readonly onShow: (key: string) => void }) => {
  const { t } = useI18n()
  const rotate = useChange(adminApiKeyContract, 'adminRotateApiKey')
  const params = { id: apiKey.id }
  return (
    <Confirm
      title={t('system.rotateKeyTitle', { name: apiKey.name })}
      consequences={[t('system.rotateKeyNew'), t('system.rotateKeyFormer')]}
      action={t('system.rotateKey')}
      isDangerous={false}
      reason="optional"
      foot={
        <ShowCall
          of={({ form }) => ({
            target: adminApiKeyContract.adminRotateApiKey,
            input: { params, body: overlapOf(form) },
            command: ['rotate-api-key', apiKey.id, ...(hoursOf(form) === '' ? [] : ['--overlap-hours', hoursOf(form)])],
          })}
        />
      }
      onConfirm={async (reason, form) => {
        onShow((await rotate({ params, body: overlapOf(form), reason })).key)
      }}
      onClose={onClose}
    >
      <Field
        name="hours"
        label={t('system.overlap')}
        type="number"
        autoComplete="off"
        hint={t('system.overlapHint')}
        isOptional
      />
    </Confirm>
  )
}

const Revoke = ({ apiKey, onClose }: Changing) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const revoke = useChange(adminApiKeyContract, 'adminDeleteApiKey', t('system.revoked', { name: apiKey.name }))
  const params = { id: apiKey.id }
  return (
    <Confirm
      title={t('system.revokeTitle', { name: apiKey.name })}
      consequences={[t('system.revokeAtOnce'), t('system.revokeForever')]}
      action={t('system.revoke')}
      typed={apiKey.name}
      reason="required"
      foot={
        <ShowCall
          target={adminApiKeyContract.adminDeleteApiKey}
          input={{ params }}
          command={['revoke-api-key', apiKey.id, '--yes']}
        />
      }
      onConfirm={(reason) => revoke({ params, reason, ifMatch: api.etagOf(apiKey) })}
      onClose={onClose}
    />
  )
}

/**
 * Buttons for the actions on an API key. A key of the instance can also be changed. A key of a user or organization can only be disabled
 * and revoked.
 */
export const ApiKeyActions = ({ apiKey, onShow }: { readonly apiKey: ApiKey; readonly onShow: (key: string) => void }) => {
  const { t } = useI18n()
  const [open, setOpen] = useState<'edit' | 'switch' | 'rotate' | 'revoke'>()
  const close = () => setOpen(undefined)
  const { enabled } = apiKey
  const unlessOurs = (text: string) => (apiKey.ownerKind === 'instance' ? undefined : text)
  return (
    <div className="page-actions">
      <ActionButton permission="api-keys:update" blocked={unlessOurs(t('system.editNotOurs'))} onClick={() => setOpen('edit')}>
        {t('system.editKey')}
      </ActionButton>
      <ActionButton
        permission="api-keys:update"
        blocked={enabled ? undefined : unlessOurs(t('system.enableNotOurs'))}
        onClick={() => setOpen('switch')}
      >
        {t(enabled ? 'system.disable' : 'system.enable')}
      </ActionButton>
      <ActionButton
        permission="api-keys:update"
        blocked={unlessOurs(t('system.rotateNotOurs'))}
        onClick={() => setOpen('rotate')}
      >
        {t('system.rotateKey')}
      </ActionButton>
      <ActionButton permission="api-keys:delete" kind="danger" onClick={() => setOpen('revoke')}>
        {t('system.revoke')}
      </ActionButton>
      {open === 'edit' ? <EditKey apiKey={apiKey} onClose={close} /> : null}
      {open === 'switch' ? <SwitchKey apiKey={apiKey} onClose={close} /> : null}
      {open === 'rotate' ? <Rotate apiKey={apiKey} onShow={onShow} onClose={close} /> : null}
      {open === 'revoke' ? <Revoke apiKey={apiKey} onClose={close} /> : null}
    </div>
  )
}
