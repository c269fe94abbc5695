import { useQuery } from '@tanstack/react-query'
import { organizationRoleContract } from '../../../src/organizations/roles/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'

/** The roles of members from the server; undefined until they arrive. */
export const useRoles = () => {
  const { api } = useConsole()
  return useQuery({ ...api.query(organizationRoleContract, 'listOrganizationRoles'), staleTime: Number.POSITIVE_INFINITY }).data
}

interface RoleChoiceProps {
  readonly chosen: readonly string[]
  readonly onChoose: (roles: readonly string[]) => void
}

/** A choice of roles, each with the number of its permissions. */
export const RoleChoice = ({ chosen, onChoose }: RoleChoiceProps) => {
  const { t } = useI18n()
  const roles = useRoles()?.roles ?? []
  const known = new Set(roles.map(({ name }) => name))
  const gone = chosen.filter((name) => !known.has(name)).map((name) => ({ name, permissions: [] }))
  return (
    <fieldset className="choices">
      <legend>{t('organizations.roles')}</legend>
      {[...roles, ...gone].map(({ name, permissions }) => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget }) =>
              onChoose(currentTarget.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
            }
          />
          {name} <span className="who-detail">{t('organizations.permissionCount', { count: permissions.length })}</span>
        </label>
      ))}
    </fieldset>
  )
}
