import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'

interface RoleFieldProps {
  readonly chosen: readonly string[]
  readonly onChoose: (roles: readonly string[]) => void
}

/** A user's roles on the instance, each with the number of its permissions. */
export const RoleField = ({ chosen, onChoose }: RoleFieldProps) => {
  const { t } = useI18n()
  const { access } = useConsole()
  return (
    <fieldset className="choices">
      <legend>{t('people.roles')}</legend>
      {access.roles.map(({ name, permissions }) => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget }) =>
              onChoose(currentTarget.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
            }
          />
          {name} <span className="who-detail">{t('people.permissionCount', { count: permissions.length })}</span>
        </label>
      ))}
    </fieldset>
  )
}
