import { useQuery } from '@tanstack/react-query'
import { roleContract } from '../../../src/identity/roles/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole, usePermission } from '../api.ts'
import type { Value } from './draft.ts'
import { useSetting, useSettingsForm } from './draft.ts'
import { SettingField } from './field.tsx'

const name = 'secondFactor.requiredFor'
const ways = ['auto', 'nobody', 'administrators', 'everybody', 'roles'] as const
type Way = (typeof ways)[number]

const rolesIn = (value: Value) => (Array.isArray(value) ? value.map(String) : [])

const wayOf = (value: Value): Way => {
  if (!Array.isArray(value)) return 'auto'
  const roles = rolesIn(value)
  if (roles.length === 0) return 'nobody'
  if (roles.includes('user')) return 'everybody'
  return roles.length === 1 && roles[0] === 'admin' ? 'administrators' : 'roles'
}

/** The field of the setting `secondFactor.requiredFor`. It offers the instance's roles. */
export const RequiredForField = ({ label }: { readonly label?: string }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { isAllowed: canReadRoles } = usePermission('users:read')
  const { change } = useSettingsForm()
  const found = useSetting(name)
  const { data } = useQuery({ ...api.query(roleContract, 'listInstanceRoles'), enabled: canReadRoles })
  if (found === undefined) return null
  const { value } = found
  const way = wayOf(value)
  const chosen = rolesIn(value)
  const giving = (data?.roles ?? []).filter(({ permissions }) => permissions.length > 0).map((role) => role.name)
  const values: Readonly<Record<Way, Value>> = {
    auto: 'auto',
    nobody: [],
    administrators: ['admin'],
    everybody: ['user'],
    roles: giving.length === 0 ? ['admin', 'support'] : giving,
  }
  return (
    <SettingField name={name} {...(label === undefined ? {} : { label })} isGroup>
      {({ id, isDisabled }) => (
        <div className="setting-ways" role="radiogroup" aria-labelledby={`${id}-label`} aria-describedby={`${id}-state`}>
          {ways.map((one) => (
            <label key={one} className="setting-way">
              <input
                type="radio"
                name={id}
                checked={way === one}
                disabled={isDisabled}
                onChange={() => change(name, values[one])}
              />
              {t(`setting.requiredFor.${one}`)}
            </label>
          ))}
          {way === 'roles'
            ? [...new Set([...giving, ...chosen])].map((role) => (
                <label key={role} className="setting-way setting-sub">
                  <input
                    type="checkbox"
                    checked={chosen.includes(role)}
                    disabled={isDisabled}
                    onChange={({ currentTarget }) =>
                      change(name, currentTarget.checked ? [...chosen, role] : chosen.filter((one) => one !== role))
                    }
                  />
                  <code>{role}</code>
                </label>
              ))
            : null}
        </div>
      )}
    </SettingField>
  )
}
