import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import { roleContract } from '../../../src/identity/roles/contract.ts'
import type { settingsContract } from '../../../src/settings/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole, usePermission } from '../api.ts'
import { isOfEverybody, requiredForKey, requirementOf, withRequired } from '../settings/required-roles.ts'
import { ReviewDialog } from '../settings/review.tsx'
import { useSettings } from '../settings/use-settings.ts'
import './role-list.css'

type SettingsAnswer = Answer<WireApi<typeof settingsContract>['listSettings']>

const settingIn = ({ settings }: SettingsAnswer) => settings.find(({ key }) => key === requiredForKey)

interface RequireRolesProps {
  readonly answer: SettingsAnswer
  readonly roles: readonly string[]
  /** The roles that grant at least one permission. */
  readonly giving: readonly string[]
  readonly isRequired: boolean
  readonly onClose: () => void
}

/** A dialog that requires a second factor of all users with these roles, or withdraws the requirement. */
const RequireRoles = ({ answer, roles, giving, isRequired, onClose }: RequireRolesProps) => {
  const { t, list } = useI18n()
  const value = settingIn(answer)?.value ?? 'auto'
  return (
    <ReviewDialog
      answer={answer}
      draft={{ set: { [requiredForKey]: [...withRequired(value, roles, isRequired, giving)] }, unset: [] }}
      title={t(isRequired ? 'people.roleFactorRequireTitle' : 'people.roleFactorWaiveTitle', { roles: list(roles) })}
      onClose={onClose}
    />
  )
}

interface RoleFactorProps {
  readonly role: string
  readonly giving: readonly string[]
  readonly answer: SettingsAnswer
}

/**
 * A switch that decides whether users with a role need a second factor. It changes the setting `secondFactor.requiredFor`, after the
 * person has reviewed the change.
 */
export const RoleFactor = ({ role, giving, answer }: RoleFactorProps) => {
  const { t, list } = useI18n()
  const { isAllowed, roles: allowing } = usePermission('settings:update')
  const [wanted, setWanted] = useState<boolean>()
  const id = useId()
  const setting = settingIn(answer)
  if (setting === undefined) return null
  const { value, isLocked, from, source } = setting
  const state = requirementOf(value, role, giving)
  const isEverybody = role !== 'user' && isOfEverybody(value)
  const note = !isAllowed
    ? t('console.denied.action', { permission: 'settings:update', roles: list(allowing) })
    : isLocked
      ? t('setting.locked', { place: from ?? source })
      : isEverybody
        ? t('people.roleFactorEverybody')
        : state === 'automatic'
          ? t('people.roleFactorAuto')
          : role === 'user'
            ? t('people.roleFactorOfEverybody')
            : undefined
  return (
    <div className="role-factor">
      <label className="check">
        <input
          type="checkbox"
          ref={(input) => {
            if (input !== null) input.indeterminate = state === 'automatic'
          }}
          checked={state === 'required'}
          disabled={!isAllowed || isLocked || isEverybody}
          aria-describedby={note === undefined ? undefined : id}
          onChange={() => setWanted(state !== 'required')}
        />
        {t('people.roleFactor')}
        <span className="visually-hidden">: {role}</span>
      </label>
      {note === undefined ? null : (
        <p id={id} className="who-detail">
          {note}
        </p>
      )}
      {wanted === undefined ? null : (
        <RequireRoles answer={answer} roles={[role]} giving={giving} isRequired={wanted} onClose={() => setWanted(undefined)} />
      )}
    </div>
  )
}

interface RequireOfRolesProps {
  readonly roles: readonly string[]
  readonly onClose: () => void
}

/** A dialog that requires a second factor for roles. The button of a finding opens it, so it fetches the data of the roles screen itself. */
export const RequireOfRoles = ({ roles, onClose }: RequireOfRolesProps) => {
  const { api } = useConsole()
  const settings = useSettings()
  const { data } = useQuery(api.query(roleContract, 'listInstanceRoles'))
  if (settings.data === undefined || data === undefined) return null
  const giving = data.roles.filter(({ permissions }) => permissions.length > 0).map(({ name }) => name)
  return <RequireRoles answer={settings.data} roles={roles} giving={giving} isRequired onClose={onClose} />
}
