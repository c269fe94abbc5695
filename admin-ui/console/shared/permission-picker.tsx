import { useState } from 'react'
import { instanceRoles } from '../../../src/access/permissions.ts'
import { useI18n } from '../../shared/text.tsx'
import './permission-picker.css'

const presets = ['readOnly', 'support', 'provisioning', 'full', 'none'] as const
type Preset = (typeof presets)[number]

/** Resources whose permissions the preset "provisioning" selects. It is meant for programs that synchronize people and organizations. */
const provisioned = ['users', 'all-organizations', 'organizations', 'organization', 'member', 'invitation', 'team', 'memberships']

const resourceOf = (permission: string) => permission.split(':')[0] ?? ''
const actionOf = (permission: string) => permission.split(':')[1] ?? ''

const isIn: Readonly<Record<Preset, (permission: string) => boolean>> = {
  readOnly: (permission) => actionOf(permission) === 'read',
  support: (permission) => (instanceRoles['support'] as readonly string[]).includes(permission),
  provisioning: (permission) => provisioned.includes(resourceOf(permission)) && !/impersonate|set-role/.test(permission),
  full: () => true,
  none: () => false,
}

interface PermissionPickerProps {
  /** All permissions that are offered. */
  readonly names: readonly string[]
  readonly chosen?: readonly string[] | undefined
  readonly hint?: string
  /** Called with the names of all selected permissions after each change. */
  readonly onChosen?: (chosen: readonly string[]) => void
}

/** Checkboxes for permissions, grouped by resource, with presets. In a form, each selected permission is a value of the field `permissions`. */
export const PermissionPicker = ({ names, chosen: first = [], hint, onChosen }: PermissionPickerProps) => {
  const { t } = useI18n()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(first))
  const choose = (next: ReadonlySet<string>) => {
    setChosen(next)
    onChosen?.(names.filter((name) => next.has(name)))
  }
  const offered = presets.filter((preset) => preset === 'none' || names.some(isIn[preset]))
  const isPreset = (preset: Preset) => names.every((name) => chosen.has(name) === isIn[preset](name))
  const resources = [...new Set(names.map(resourceOf))]
  return (
    <fieldset className="permissions">
      <legend>{t('console.permissions')}</legend>
      <fieldset className="permission-presets" aria-label={t('console.permissions.presets')}>
        {offered.map((preset) => (
          <button
            key={preset}
            type="button"
            className="chip"
            aria-pressed={isPreset(preset)}
            onClick={() => choose(new Set(names.filter(isIn[preset])))}
          >
            {t(`console.permissions.${preset}`)}
          </button>
        ))}
      </fieldset>
      <div className="permission-groups">
        {resources.map((resource) => (
          <fieldset key={resource} className="permission-group" aria-label={resource}>
            <span className="permission-resource">{resource}</span>
            <span className="permission-actions">
              {names
                .filter((name) => resourceOf(name) === resource)
                .map((name) => (
                  <label key={name} className="permission">
                    <input
                      type="checkbox"
                      name="permissions"
                      value={name}
                      aria-label={name}
                      checked={chosen.has(name)}
                      onChange={({ currentTarget }) => {
                        const next = new Set(chosen)
                        if (currentTarget.checked) next.add(name)
                        else next.delete(name)
                        choose(next)
                      }}
                    />
                    <code>{actionOf(name)}</code>
                  </label>
                ))}
            </span>
          </fieldset>
        ))}
      </div>
      <div className="field-message">{hint}</div>
    </fieldset>
  )
}
