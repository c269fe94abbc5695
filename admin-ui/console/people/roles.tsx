import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { RoleChecks } from '../shared/role-checks.tsx'

interface RoleFieldProps {
  readonly chosen: readonly string[]
  readonly onChoose: (roles: readonly string[]) => void
}

/** Checkboxes for the instance roles of a user. Each role is shown with the number of its permissions. */
export const RoleField = ({ chosen, onChoose }: RoleFieldProps) => {
  const { t } = useI18n()
  const { access } = useConsole()
  const countText = (count: number) => t('people.permissionCount', { count })
  return <RoleChecks legend={t('people.roles')} roles={access.roles} chosen={chosen} countText={countText} onChoose={onChoose} />
}
