import { useQuery } from '@tanstack/react-query'
import { organizationRoleContract } from '../../../src/organizations/roles/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { RoleChecks } from '../shared/role-checks.tsx'

/** The roles that members can have, from the server. Undefined until the response arrives. */
export const useRoles = () => {
  const { api } = useConsole()
  return useQuery({ ...api.query(organizationRoleContract, 'listOrganizationRoles'), staleTime: Number.POSITIVE_INFINITY }).data
}

interface RoleChoiceProps {
  readonly chosen: readonly string[]
  readonly onChoose: (roles: readonly string[]) => void
}

/** Checkboxes for roles. Each role is shown with the number of its permissions. */
export const RoleChoice = ({ chosen, onChoose }: RoleChoiceProps) => {
  const { t } = useI18n()
  const roles = useRoles()?.roles ?? []
  const known = new Set(roles.map(({ name }) => name))
  const gone = chosen.filter((name) => !known.has(name)).map((name) => ({ name, permissions: [] }))
  const countText = (count: number) => t('organizations.permissionCount', { count })
  const all = [...roles, ...gone]
  return <RoleChecks legend={t('organizations.roles')} roles={all} chosen={chosen} countText={countText} onChoose={onChoose} />
}
