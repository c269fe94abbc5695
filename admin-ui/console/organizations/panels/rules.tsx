import { Link } from 'react-router'
import { settingsContract } from '../../../../src/settings/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { Badge } from '../../../shared/ui.tsx'
import { useConsole } from '../../api.ts'
import { Line, Lines, QueryPanel } from '../../shared/query-panel.tsx'

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** What the configuration says about all organizations. */
export const RulesPanel = () => {
  const { t } = useI18n()
  const { api, screens } = useConsole()
  const search = 'organizations.'
  return (
    <QueryPanel
      title={t('organizations.rules')}
      permission="settings:read"
      query={api.query(settingsContract, 'listSettings', { query: { search } })}
      {...(screens.has('/admin/settings')
        ? { actions: <Link to={`/admin/settings?${new URLSearchParams({ search })}`}>{t('organizations.toSettings')}</Link> }
        : {})}
    >
      {({ settings }) => (
        <Lines empty={t('console.none')}>
          {settings
            .filter(({ key }) => key !== 'organizations.roles')
            .map(({ key, description, value, isSet }) => (
              <Line key={key} title={<code>{key}</code>} detail={description}>
                {isSet ? <Badge tone="new">{shown(value)}</Badge> : <code>{shown(value)}</code>}
              </Line>
            ))}
        </Lines>
      )}
    </QueryPanel>
  )
}
