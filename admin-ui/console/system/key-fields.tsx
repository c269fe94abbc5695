import type { KeyPermission } from '../../../src/access/key-permissions.ts'
import { canKeyOf, keyPermissions } from '../../../src/access/key-permissions.ts'
import { ApiError } from '../../../src/http/client.ts'
import { Field } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { PermissionPicker } from '../shared/permission-picker.tsx'
import type { ApiKey } from './api-key-facts.tsx'

const daySeconds = 86_400

const textOf = (form: FormData, name: string) => String(form.get(name) ?? '').trim()

export interface KeyInput {
  readonly name: string
  readonly permissions: string[]
  readonly allowedNetworks: string[]
  readonly requestsPerMinute: number | null
  /** Lifetime in seconds from now. Null means that the API key never expires. If absent, the expiry does not change. */
  readonly expiresIn?: number | null
}

/** Reads the form as a request body. A field that is missing in the form counts as empty. */
export const keyInputOf = (form: FormData): KeyInput => {
  const days = textOf(form, 'days')
  const requests = textOf(form, 'requests')
  return {
    ...{ name: textOf(form, 'name'), permissions: form.getAll('permissions').map(String) },
    allowedNetworks: textOf(form, 'networks')
      .split(/[\s,]+/)
      .filter((network) => network !== ''),
    requestsPerMinute: requests === '' ? null : Number(requests),
    ...(form.has('endless') ? { expiresIn: null } : days === '' ? {} : { expiresIn: Math.round(Number(days) * daySeconds) }),
  }
}

/** The flags of the command that has the same effect as the form. */
export const keyFlagsOf = ({ name, permissions, allowedNetworks, requestsPerMinute, expiresIn }: KeyInput) => [
  ...['--name', name, ...permissions.flatMap((permission) => ['--permission', permission])],
  ...allowedNetworks.flatMap((network) => ['--network', network]),
  ...(requestsPerMinute === null ? [] : ['--requests-per-minute', String(requestsPerMinute)]),
  ...(expiresIn === undefined ? [] : ['--expires-in-days', String((expiresIn ?? 0) / daySeconds)]),
]

/** Returns a function that reads the form. That function throws an `ApiError` if a required field is empty. */
export const useKeyInput = () => {
  const { t } = useI18n()
  return (form: FormData): KeyInput => {
    const input = keyInputOf(form)
    if (input.name === '') throw new ApiError(400, 'NAME_MISSING', t('system.nameMissing'))
    if (input.permissions.length === 0) throw new ApiError(400, 'PERMISSION_MISSING', t('system.permissionMissing'))
    return input
  }
}

/** The permissions that the form offers: those that the person can give to an API key of the instance, and those that the key already has. */
export const usePermissionNames = (kept: readonly string[] = []): readonly KeyPermission[] => {
  const { access } = useConsole()
  return keyPermissions.filter((name) => canKeyOf('instance', name) && (access.permissions.includes(name) || kept.includes(name)))
}

interface KeyFieldsProps {
  /** The permissions that the form offers. */
  readonly names: readonly KeyPermission[]
  /** The API key that the form changes. Absent for a new key. */
  readonly apiKey?: ApiKey
  /** The present state of the API key. If somebody else has changed a field meanwhile, the form shows the new value below the field. */
  readonly now?: ApiKey
}

/** The fields of a form for an API key of the instance. */
export const KeyFields = ({ names, apiKey, now = apiKey }: KeyFieldsProps) => {
  const { t } = useI18n()
  const hint = (name: 'name' | 'permissions' | 'allowedNetworks' | 'requestsPerMinute', text: string) => {
    const [before, present] = [apiKey, now].map((key) => String(key?.[name] ?? ''))
    return before === present ? text : t('console.changed.now', { value: present?.replaceAll(',', ', ') || '–' })
  }
  return (
    <>
      <Field
        name="name"
        label={t('system.name')}
        autoComplete="off"
        maxLength={100}
        hint={hint('name', t('system.nameHint'))}
        defaultValue={apiKey?.name}
        autoFocus
      />
      <PermissionPicker names={names} chosen={apiKey?.permissions} hint={hint('permissions', '')} />
      <Field
        name="days"
        label={t('system.days')}
        type="number"
        autoComplete="off"
        hint={t(apiKey === undefined ? 'system.daysHint' : 'system.daysKept')}
        isOptional
      />
      <label className="permission key-endless">
        <input type="checkbox" name="endless" />
        {t('system.noEnd')}
      </label>
      <Field
        name="networks"
        label={t('system.networks')}
        autoComplete="off"
        hint={hint('allowedNetworks', t('system.networksHint'))}
        defaultValue={apiKey?.allowedNetworks.join(', ')}
        isOptional
      />
      <Field
        name="requests"
        label={t('system.requests')}
        type="number"
        autoComplete="off"
        hint={hint('requestsPerMinute', t('system.requestsHint'))}
        defaultValue={apiKey?.requestsPerMinute?.toString()}
        isOptional
      />
    </>
  )
}
