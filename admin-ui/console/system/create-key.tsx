import { adminApiKeyContract } from '../../../src/access/api-keys/contract.ts'
import type { KeyPermission } from '../../../src/access/key-permissions.ts'
import { canKeyOf, keyPermissions } from '../../../src/access/key-permissions.ts'
import { ApiError } from '../../../src/http/client.ts'
import { Field } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import '../styles/system.css'

const daySeconds = 86_400

interface CreateKeyProps {
  readonly onMade: (key: string) => void
  readonly onClose: () => void
}

const Permissions = ({ names }: { readonly names: readonly KeyPermission[] }) => {
  const { t } = useI18n()
  return (
    <fieldset className="permissions">
      <legend>{t('system.permissions')}</legend>
      <div className="permission-list">
        {names.map((name) => (
          <label key={name} className="permission">
            <input type="checkbox" name="permissions" value={name} />
            <code>{name}</code>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** What the form asks for, as the call takes it. */
const bodyOf = (form: FormData) => {
  const days = String(form.get('days') ?? '').trim()
  const networks = String(form.get('networks') ?? '').split(/[\s,]+/)
  return {
    name: String(form.get('name') ?? '').trim(),
    permissions: form.getAll('permissions').map(String),
    allowedNetworks: networks.filter((network) => network !== ''),
    ...(days === '' ? {} : { expiresIn: Math.round(Number(days) * daySeconds) }),
  }
}

/** Makes a key of the instance. It can get what the person has and a key can have. */
export const CreateKey = ({ onMade, onClose }: CreateKeyProps) => {
  const { t } = useI18n()
  const { access } = useConsole()
  const create = useChange(adminApiKeyContract, 'adminCreateApiKey')
  const names = keyPermissions.filter((name) => canKeyOf('instance', name) && access.permissions.includes(name))
  const make = async (reason: string, form: FormData) => {
    const body = bodyOf(form)
    if (body.name === '') throw new ApiError(400, 'NAME_MISSING', t('system.nameMissing'))
    if (body.permissions.length === 0) throw new ApiError(400, 'PERMISSION_MISSING', t('system.permissionMissing'))
    onMade((await create({ body, reason })).key)
  }
  const example = { name: 'User export', permissions: ['users:read'] }
  return (
    <Confirm
      title={t('system.createKey')}
      consequences={[]}
      action={t('system.createKey')}
      isDangerous={false}
      reason="optional"
      foot={
        <ShowCall
          target={adminApiKeyContract.adminCreateApiKey}
          input={{ body: example }}
          command={['create-api-key', '--name', example.name, '--permission', 'users:read']}
        />
      }
      onConfirm={make}
      onClose={onClose}
    >
      <Field name="name" label={t('system.name')} autoComplete="off" maxLength={100} hint={t('system.nameHint')} autoFocus />
      <Permissions names={names} />
      <Field name="days" label={t('system.days')} type="number" autoComplete="off" hint={t('system.daysHint')} isOptional />
      <Field name="networks" label={t('system.networks')} autoComplete="off" hint={t('system.networksHint')} isOptional />
    </Confirm>
  )
}
