import { useI18n } from '../../shared/text.tsx'
import type { Setting } from '../settings/draft.ts'
import { useSettingsForm } from '../settings/draft.ts'
import { SettingsPanel } from '../settings/panel.tsx'
import { WithSettings } from '../settings/settings-page.tsx'
import { Empty } from '../shared/empty.tsx'
import { Page } from '../shared/page.tsx'

const groups = ['events', 'mail', 'signIns', 'billing', 'numbers', 'backups', 'other'] as const
type Group = (typeof groups)[number]

/** Beginnings of configuration keys. Each has the group of data that the settings with this beginning are about. */
const beginnings: readonly (readonly [beginning: string, group: Group])[] = [
  ['events.', 'events'],
  ['mail.', 'mail'],
  ['signIns.', 'signIns'],
  ['accounts.guessing.', 'signIns'],
  ['billing.', 'billing'],
  ['statistics.', 'numbers'],
  ['backup.', 'backups'],
]

/** True for a setting that says how long or how much of some data is kept. */
const isRetention = ({ key }: Setting) => /(^|\.)(keep|kept|retention|mostKept)([A-Z.]|$)/.test(key)

const groupOf = (key: string): Group => beginnings.find(([beginning]) => key.startsWith(beginning))?.[1] ?? 'other'

const Panels = () => {
  const { t } = useI18n()
  const { settings } = useSettingsForm()
  const kept = [...settings.values()].filter(isRetention)
  if (kept.length === 0) return <Empty icon="clock" title={t('console.table.none')} text={t('console.table.noneText')} />
  return groups.map((group) => {
    const names = kept.filter(({ key }) => groupOf(key) === group).map(({ key }) => key)
    return names.length === 0 ? null : <SettingsPanel key={group} title={t(`system.retention.${group}`)} names={names} />
  })
}

/** The screen that shows all settings about retention together. */
export const RetentionScreen = () => {
  const { t } = useI18n()
  return (
    <WithSettings>
      <Page title={t('console.screen.retention')} lead={t('system.retentionLead')}>
        <Panels />
      </Page>
    </WithSettings>
  )
}
