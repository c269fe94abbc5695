import { Link } from 'react-router'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole, usePermission } from '../../api.ts'
import { useSettingsForm } from '../../settings/draft.ts'
import { SettingsPanel } from '../../settings/panel.tsx'
import { WithSettings } from '../../settings/settings-page.tsx'

const search = 'organizations.'

const Rules = () => {
  const { t } = useI18n()
  const { screens } = useConsole()
  const { settings } = useSettingsForm()
  const names = [...settings.keys()].filter((key) => key.startsWith(search) && key !== 'organizations.roles')
  return (
    <SettingsPanel
      title={t('organizations.rules')}
      names={names}
      actions={
        screens.has('/admin/settings') ? (
          <Link to={`/admin/settings?${new URLSearchParams({ search })}`}>{t('organizations.toSettings')}</Link>
        ) : null
      }
    />
  )
}

/** Fields for the settings that apply to all organizations. Renders nothing without the permission to read settings. */
export const RulesPanel = () => {
  const { isAllowed } = usePermission('settings:read')
  return isAllowed ? (
    <WithSettings isPage={false}>
      <Rules />
    </WithSettings>
  ) : null
}
