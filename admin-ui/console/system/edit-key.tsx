import { adminApiKeyContract } from '../../../src/access/api-keys/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import type { Changing } from './api-key-facts.tsx'
import { KeyFields, useKeyInput, usePermissionNames } from './key-fields.tsx'
import '../styles/system.css'

/** Changes a key of the instance; its secret stays. */
export const EditKey = ({ apiKey, onClose }: Changing) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const input = useKeyInput()
  const change = useChange(adminApiKeyContract, 'adminUpdateApiKey', t('system.keyChanged', { name: apiKey.name }))
  const params = { id: apiKey.id }
  const names = usePermissionNames(apiKey.permissions)
  return (
    <Confirm
      title={t('system.editKeyTitle', { name: apiKey.name })}
      consequences={[t('system.editKeyAtOnce')]}
      action={t('common.save')}
      isDangerous={false}
      reason="optional"
      foot={
        <ShowCall
          target={adminApiKeyContract.adminUpdateApiKey}
          input={{ params, body: { name: apiKey.name, permissions: apiKey.permissions } }}
        />
      }
      onConfirm={(reason, form) => change({ params, body: input(form), reason, ifMatch: api.etagOf(apiKey) })}
      onClose={onClose}
    >
      <KeyFields names={names} apiKey={apiKey} />
    </Confirm>
  )
}

/** Disables a key, or lets it work again. */
export const SwitchKey = ({ apiKey, onClose }: Changing) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { id, name, enabled } = apiKey
  const done = t(enabled ? 'system.disabled' : 'system.enabled', { name })
  const change = useChange(adminApiKeyContract, 'adminUpdateApiKey', done)
  const input = { params: { id }, body: { enabled: !enabled } }
  return (
    <Confirm
      title={t(enabled ? 'system.disableTitle' : 'system.enableTitle', { name })}
      consequences={enabled ? [t('system.revokeAtOnce'), t('system.disableBack')] : [t('system.enableAtOnce')]}
      action={t(enabled ? 'system.disable' : 'system.enable')}
      isDangerous={enabled}
      reason="optional"
      foot={<ShowCall target={adminApiKeyContract.adminUpdateApiKey} input={input} />}
      onConfirm={(reason) => change({ ...input, reason, ifMatch: api.etagOf(apiKey) })}
      onClose={onClose}
    />
  )
}
