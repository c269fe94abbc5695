import type { WireApi } from '../../../src/http/contract.ts'
import type { settingsContract } from '../../../src/settings/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { valueText } from '../ways-in/setting-values.ts'
import './settings.css'

export type SettingChange = Answer<WireApi<typeof settingsContract>['updateSettings']>['changes'][number]

/**
 * Returns a function that shows a stored value as text. For a secret the text is only a hint, and without a stored value it is the word
 * for "default".
 */
const useStored = () => {
  const i18n = useI18n()
  return (key: string, value: SettingChange['before'], isStored: boolean) =>
    !isStored
      ? i18n.t('setting.theDefault')
      : typeof value === 'string' && value.startsWith('upload:')
        ? i18n.t('setting.uploaded')
        : valueText(key, value, i18n)
}

/** A table of changed settings, with their former and new values. */
export const Changes = ({ changes }: { readonly changes: readonly SettingChange[] }) => {
  const { t } = useI18n()
  const stored = useStored()
  return (
    <ul className="setting-changes">
      {changes.map(({ key, before, after, wasStored, isStored, lowersSecurity }) => (
        <li key={key} className="setting-change">
          <code className="break">{key}</code>
          {lowersSecurity ? <Badge tone="warn">{t('setting.lowersSecurity')}</Badge> : null}
          <span className="setting-change-values">
            <del className="break">{stored(key, before, wasStored)}</del>
            <span className="visually-hidden"> {t('setting.becomes')} </span>
            <Icon name="arrow" size={14} />
            <ins className="break">{stored(key, after, isStored)}</ins>
          </span>
        </li>
      ))}
    </ul>
  )
}
