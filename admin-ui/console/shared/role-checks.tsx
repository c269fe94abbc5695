interface RoleChecksProps {
  readonly legend: string
  readonly roles: readonly { readonly name: string; readonly permissions: readonly string[] }[]
  readonly chosen: readonly string[]
  /** Returns the text that says how many permissions a role has. */
  readonly countText: (count: number) => string
  readonly onChoose: (roles: readonly string[]) => void
}

/** Checkboxes for roles. Each role is shown with the number of its permissions. */
export const RoleChecks = ({ legend, roles, chosen, countText, onChoose }: RoleChecksProps) => (
  <fieldset className="choices">
    <legend>{legend}</legend>
    {roles.map(({ name, permissions }) => (
      <label key={name} className="check">
        <input
          type="checkbox"
          checked={chosen.includes(name)}
          onChange={({ currentTarget }) =>
            onChoose(currentTarget.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
          }
        />
        {name} <span className="who-detail">{countText(permissions.length)}</span>
      </label>
    ))}
  </fieldset>
)
