import { rolesOf } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'

const builtIn = ['owner', 'admin', 'member'] as const
const isBuiltIn = (role: string): role is (typeof builtIn)[number] => builtIn.some((name) => name === role)

/** Returns a function for names of roles. Built-in roles have names in the reader's language; configured roles have their configured names. */
export const useRoleWords = () => {
  const { t, list } = useI18n()
  const nameOf = (role: string) => (isBuiltIn(role) ? t(`role.${role}`) : `${role.charAt(0).toUpperCase()}${role.slice(1)}`)
  return {
    nameOf,
    hintOf: (role: string) => t(isBuiltIn(role) ? `role.${role}.hint` : 'role.custom.hint'),
    listOf: (roles: readonly string[]) => list(roles.map(nameOf)),
  }
}

export const RoleBadges = ({ role }: { readonly role: string }) => {
  const { nameOf } = useRoleWords()
  return rolesOf(role).map((name) => (
    <Badge key={name} tone={name === 'member' ? 'plain' : 'good'}>
      {nameOf(name)}
    </Badge>
  ))
}

interface RoleChoiceProps {
  readonly roles: readonly string[]
  readonly assigned: readonly string[]
}

/** True if all roles that can be chosen are built-in. A built-in role includes all lesser ones, so a member needs only one role. */
const isOneEnough = (roles: readonly string[], assigned: readonly string[]) => roles.every(isBuiltIn) && assigned.length <= 1

/** A choice of roles, each with its permissions. The person selects one role, or several if the operator has configured roles. */
export const RoleChoice = ({ roles, assigned }: RoleChoiceProps) => {
  const { nameOf, hintOf } = useRoleWords()
  const type = isOneEnough(roles, assigned) ? 'radio' : 'checkbox'
  return (
    <div className="choices">
      {roles.map((role) => (
        <label key={role} className="choice">
          <input type={type} name="role" value={role} defaultChecked={assigned.includes(role)} />
          <span>
            <span className="choice-title">{nameOf(role)}</span>
            <span className="choice-hint">{hintOf(role)}</span>
          </span>
        </label>
      ))}
    </div>
  )
}
