import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'

interface RoleFieldProps {
  readonly chosen: readonly string[]
  readonly onChoose: (roles: readonly string[]) => void
}

/** The roles of the instance that a user has, each with how much it allows. */
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
