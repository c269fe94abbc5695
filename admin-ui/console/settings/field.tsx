import type { ReactNode } from 'react'
import { useId, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { usePermission } from '../api.ts'
import { valueText } from '../ways-in/setting-values.ts'
import { SettingDescription } from './description.tsx'
import type { Setting } from './draft.ts'
import { isEditable, useSetting, useSettingsForm } from './draft.ts'
import type { Kind } from './kinds.ts'
import { kindOf, parseText, textOf } from './kinds.ts'
import './settings.css'

interface ControlProps {
  readonly id: string
  readonly kind: Kind
  readonly setting: Setting
  readonly value: Setting['value']
  readonly isDisabled: boolean
  /** True if the text in the field is invalid. */
  readonly isWrong: boolean
}

const Switch = ({ id, setting, value, isDisabled }: ControlProps) => {
  const { t } = useI18n()
  const { change } = useSettingsForm()
  return (
    <span className="setting-switch">
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        disabled={isDisabled}
        aria-describedby={`${id}-state`}
        onChange={({ currentTarget }) => change(setting.key, currentTarget.checked)}
      />
      <span aria-hidden="true">{t(value === true ? 'ways.on' : 'ways.off')}</span>
    </span>
  )
}

const Choice = ({ id, setting, value, isDisabled }: ControlProps) => {
  const { t } = useI18n()
  const { change } = useSettingsForm()
  return (
    <span className="field-box">
      <select
        id={id}
        value={value === null ? '' : String(value)}
        disabled={isDisabled}
        aria-describedby={`${id}-state`}
        onChange={({ currentTarget }) => change(setting.key, currentTarget.value === '' ? undefined : currentTarget.value)}
      >
        {setting.default === null ? <option value="">{t('ways.notSet')}</option> : null}
        {(setting.options ?? []).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <Icon name="down" size={16} />
    </span>
  )
}

/** A text field for a setting. The field stores the typed text, and the form's draft stores the parsed value. */
const Typed = ({ id, kind, setting, value, isDisabled, isWrong }: ControlProps) => {
  const { t } = useI18n()
  const { change, refuse, forgetTyped, roundOf } = useSettingsForm()
  const round = roundOf(setting.key)
  const given = kind === 'secret' ? '' : textOf(kind, value)
  const [{ text, since }, setTyped] = useState({ text: given, since: round })
  const setText = (next: string) => setTyped({ text: next, since: round })
  // When `roundOf` returns another text, the field shows the value in effect. The same input element is kept, because it may have the
  // focus.
  if (since !== round) setText(given)
  const enter = (next: string) => {
    setText(next)
    try {
      const typed = parseText(kind, setting, next)
      // An empty field leaves a stored secret unchanged. The secret is removed by a button of its own.
      if (kind === 'secret' && typed === undefined) forgetTyped(setting.key)
      else change(setting.key, typed)
    } catch {
      refuse(setting.key)
    }
  }
  const hint = String(setting.stored?.value ?? '')
  const common = {
    ...{ id, disabled: isDisabled, autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
    ...{ 'aria-invalid': isWrong, 'aria-describedby': `${id}-state` },
    placeholder: kind === 'secret' ? hint || (setting.isSet ? t('ways.secretSet') : '') : textOf(kind, setting.default),
  }
  if (kind === 'json' || kind === 'lines')
    return (
      <textarea
        {...common}
        className="lines"
        rows={Math.min(12, Math.max(2, text.split('\n').length))}
        value={text}
        onChange={({ currentTarget }) => enter(currentTarget.value)}
      />
    )
  return (
    <input
      {...common}
      type={kind === 'secret' ? 'password' : 'text'}
      inputMode={kind === 'number' ? 'numeric' : undefined}
      autoComplete={kind === 'secret' ? 'new-password' : 'off'}
      value={text}
      onChange={({ currentTarget }) => enter(currentTarget.value)}
    />
  )
}

/** Says which source the value comes from, and offers to reset it. */
const State = ({
  id,
  setting,
  isChanged,
  isWrong,
}: Pick<ControlProps, 'id' | 'setting' | 'isWrong'> & { readonly isChanged: boolean }) => {
  const i18n = useI18n()
  const { t } = i18n
  const { toDefault, reset } = useSettingsForm()
  const { isAllowed } = usePermission('settings:update')
  const { key, isLocked, isRuntime, from, stored, source, isSecret } = setting
  const base = valueText(key, setting.default, i18n)
  const now = typeof setting.value === 'boolean' || isSecret ? undefined : valueText(key, setting.value, i18n)
  return (
    <div id={`${id}-state`} className="setting-state">
      {isWrong ? <span className="field-error">{t('setting.wrong')}</span> : null}
      {isLocked ? (
        <span className="setting-locked">
          <Icon name="lock" size={14} />
          <span className="break">
            {t(stored === null ? 'setting.locked' : 'setting.lockedStored', { place: from ?? source })}
          </span>
        </span>
      ) : isRuntime ? (
        <span>{t(stored === null ? 'setting.isDefault' : 'setting.isStored', { default: base })}</span>
      ) : (
        <span>{t('setting.restart', { variable: setting.variable })}</span>
      )}
      {isChanged && now !== undefined ? <span>{t('setting.now', { value: now })}</span> : null}
      {isChanged ? (
        <button type="button" className="link-button" onClick={() => reset(key)}>
          {t('setting.undo')}
        </button>
      ) : stored !== null && isRuntime && isAllowed ? (
        <button type="button" className="link-button" onClick={() => toDefault(key)}>
          {t(isSecret ? 'setting.removeSecret' : 'setting.toDefault')}
        </button>
      ) : null}
    </div>
  )
}

interface SettingFieldProps {
  /** The configuration key. */
  readonly name: string
  /** A label to show in place of the description from the configuration reference. */
  readonly label?: string
  /** True if several controls share the label. */
  readonly isGroup?: boolean
  /** Renders a control in place of the default control for the setting's type. */
  readonly children?: (control: { readonly id: string; readonly isDisabled: boolean }) => ReactNode
}

/** A setting with its description, its control and the source of its value. Renders nothing for an unknown configuration key. */
export const SettingField = ({ name, label, isGroup = false, children }: SettingFieldProps) => {
  const id = useId()
  const { isAllowed } = usePermission('settings:update')
  const { draft } = useSettingsForm()
  const found = useSetting(name)
  if (found === undefined) return null
  const { setting, value, isChanged } = found
  const kind = kindOf(setting)
  const isDisabled = !isAllowed || !isEditable(setting)
  const isWrong = draft.wrong.includes(name)
  const Label = isGroup ? 'span' : 'label'
  const control = { id, kind, setting, value, isDisabled, isWrong }
  return (
    <div className={isChanged ? 'setting-field setting-changed' : 'setting-field'}>
      <Label className="setting-label" {...(isGroup ? { id: `${id}-label` } : { htmlFor: id })}>
        {label ?? <SettingDescription setting={setting} />}
        <code className="setting-key">{name}</code>
      </Label>
      {children !== undefined ? (
        children({ id, isDisabled })
      ) : kind === 'switch' ? (
        <Switch {...control} />
      ) : kind === 'choice' ? (
        <div className="field">
          <Choice {...control} />
        </div>
      ) : (
        <div className="field">
          <Typed {...control} />
        </div>
      )}
      <State id={id} setting={setting} isChanged={isChanged} isWrong={isWrong} />
    </div>
  )
}
