import { useState } from 'react'
import { adminApiKeyContract } from '../../../src/api-keys/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import type { ApiKey, Changing } from './api-key-facts.tsx'
import type { KeyInput } from './key-fields.tsx'
import { KeyFields, keyInputOf, useKeyInput, usePermissionNames } from './key-fields.tsx'
import '../styles/system.css'

const isSame = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((item) => other.includes(item))
    : one === other

/**
 * Returns only the fields that the person has changed, so that other people's changes of other fields are kept. A lifetime counts from
 * now, so entering one is always a change.
 */
const changesOf = (first: ApiKey, { expiresIn, ...input }: KeyInput) => ({
  ...(Object.fromEntries(
    Object.entries(input).filter(([name, value]) => !isSame(first[name as keyof typeof input], value)),
  ) as Partial<typeof input>),
  ...(expiresIn === undefined ? {} : { expiresIn }),
})

/** A dialog that changes an API key of the instance. The secret stays the same. */
export const EditKey = ({ apiKey, onClose }: Changing) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const input = useKeyInput()
  const [first] = useState(apiKey)
  const change = useChange(adminApiKeyContract, 'adminUpdateApiKey', t('system.keyChanged', { name: first.name }))
  const params = { id: first.id }
  const names = usePermissionNames(first.permissions)
  return (
    <Confirm
      title={t('system.editKeyTitle', { name: first.name })}
      consequences={[t('system.editKeyAtOnce')]}
      action={t('common.save')}
      isDangerous={false}
      reason="optional"
      foot={
        <ShowCall
          of={({ form }) => ({
            target: adminApiKeyContract.adminUpdateApiKey,
            input: { params, body: changesOf(first, keyInputOf(form)) },
          })}
        />
      }
      onConfirm={(reason, form, isOverwriting) => {
        const body = changesOf(first, input(form))
        return change({ params, body, reason, ...(isOverwriting ? {} : { ifMatch: api.etagOf(first) }) })
      }}
      onClose={onClose}
    >
      <KeyFields names={names} apiKey={first} now={apiKey} />
    </Confirm>
  )
}

/** A dialog that disables or enables an API key. */
export const SwitchKey = ({ apiKey, onClose }: Changing) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [first] = useState(apiKey)
  const { id, name, enabled } = first
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
      onConfirm={(reason, _, isOverwriting) =>
        change({ ...input, reason, ...(isOverwriting ? {} : { ifMatch: api.etagOf(first) }) })
      }
      onClose={onClose}
    />
  )
}
