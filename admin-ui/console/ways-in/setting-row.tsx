import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { SettingDescription } from '../settings/description.tsx'
import { useSetting } from '../settings/draft.ts'
import { SettingField } from '../settings/field.tsx'
import { RequiredForField } from '../settings/required-for.tsx'
import { CopyField } from '../shared/copy-field.tsx'
import { Facts } from '../shared/facts.tsx'
import { yamlOf } from '../system/yaml.ts'
import type { Setting } from './setting-values.ts'
import { isLocked, valueText, variableOf } from './setting-values.ts'

/** The value of a setting. `true` and `false` are shown as a badge, any other value as text. */
const Value = ({ setting }: { readonly setting: Setting }) => {
  const i18n = useI18n()
  const { key, value, isSecret, isSet } = setting
  if (isSecret) return <span>{i18n.t(isSet ? 'ways.secretSet' : 'ways.secretUnset')}</span>
  const text = valueText(key, value, i18n)
  return typeof value === 'boolean' ? (
    <Badge tone={value ? 'good' : 'plain'}>{text}</Badge>
  ) : (
    <strong className="break">{text}</strong>
  )
}

const Source = ({ setting }: { readonly setting: Setting }) => {
  const { t } = useI18n()
  const { source } = setting
  return (
    <span className="setting-source">
      {isLocked(setting) ? <Icon name="lock" size={14} /> : null}
      {t(`ways.source.${source}`)}
    </span>
  )
}

/** A row for a setting, with its description and value. When opened, it also explains how to change the value. */
export const SettingRow = ({ setting }: { readonly setting: Setting }) => {
  const i18n = useI18n()
  const { t } = i18n
  const isNamed = decodeURIComponent(useLocation().hash.slice(1)) === setting.key
  const row = useRef<HTMLDetailsElement>(null)
  // If the fragment of the address names this setting, its row is opened and scrolled into view.
  useEffect(() => {
    if (isNamed) row.current?.scrollIntoView({ block: 'center' })
  }, [isNamed])
  const found = useSetting(setting.key)
  const { key, type, value, from, isSecret } = setting
  return (
    <details className="setting" id={key} open={isNamed || undefined} ref={row}>
      <summary>
        <span className="setting-text">
          <SettingDescription setting={setting} />
          <code className="setting-key">{key}</code>
        </span>
        <span className="setting-value">
          <Value setting={setting} />
          {found?.isChanged === true ? <Badge tone="new">{t('setting.changedBadge')}</Badge> : <Source setting={setting} />}
        </span>
        <Icon name="down" size={16} />
      </summary>
      <div className="setting-more">
        {key === 'secondFactor.requiredFor' ? (
          <RequiredForField label={t('setting.value')} />
        ) : (
          <SettingField name={key} label={t('setting.value')} />
        )}
        <details className="setting-elsewhere">
          <summary>{t('setting.elsewhere')}</summary>
          <Facts
            rows={[
              [t('ways.default'), valueText(key, setting.default, i18n)],
              [t('ways.accepts'), <code key="type">{type}</code>],
              [t('ways.setBy'), from === null ? undefined : <code key="from">{from}</code>],
            ]}
          />
          {isSecret ? null : (
            <div className="setting-copy">
              <CopyField label={t('ways.yaml')} value={yamlOf(key, value)} isBlock />
              <CopyField label={t('ways.variable')} value={variableOf(setting)} />
            </div>
          )}
        </details>
      </div>
    </details>
  )
}
