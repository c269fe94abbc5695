import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { healthAdminContract } from '../../../src/health/diagnosis/contract.ts'
import { settingsContract } from '../../../src/settings/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole, usePermission } from '../api.ts'
import { SettingsForm } from '../settings/form.tsx'
import { settingsHistoryPath } from '../settings/paths.ts'
import { Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { byUrgency, Findings } from '../shared/findings.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import type { Section } from './sections.ts'
import { checksOfWays, sectionOf, sections } from './sections.ts'
import { SettingRow } from './setting-row.tsx'
import type { Setting } from './setting-values.ts'
import { Summary } from './summary.tsx'
import './ways-in.css'

/** Findings of checks about sign-in methods. Renders nothing if there are none, or if the person may not read findings. */
const WaysFindings = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { isAllowed } = usePermission('health:read')
  const { data } = useQuery({ ...api.query(healthAdminContract, 'diagnose'), enabled: isAllowed })
  const open = byUrgency(data?.checks ?? []).filter(({ check, severity }) => severity !== 'ok' && checksOfWays.has(check))
  if (open.length === 0) return null
  return (
    <Panel title={t('ways.findings')}>
      <Findings checks={open} />
    </Panel>
  )
}

const SectionPanel = ({ section, settings }: { readonly section: Section; readonly settings: readonly Setting[] }) => {
  const { t } = useI18n()
  const { id, first } = section
  // Settings that differ from their default are also visible from the start, because people look for them.
  const isShown = ({ key, source }: Setting) => first.includes(key) || source !== 'default'
  const rest = settings.filter((setting) => !isShown(setting))
  return (
    <div id={`section-${id}`} className="anchor">
      <Panel title={t(`ways.section.${id}`)}>
        <p className="panel-note">{t(`ways.sectionText.${id}`)}</p>
        {settings.filter(isShown).map((setting) => (
          <SettingRow key={setting.key} setting={setting} />
        ))}
        {rest.length === 0 ? null : (
          <details className="setting-rest">
            <summary>{t('ways.more', { count: rest.length })}</summary>
            {rest.map((setting) => (
              <SettingRow key={setting.key} setting={setting} />
            ))}
          </details>
        )}
      </Panel>
    </div>
  )
}

/**
 * The screen with the settings of sign-in methods, second factors, sign-up, sessions and rate limits. Each setting is shown with its
 * description and its source.
 */
export const MethodsScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data, error, refetch } = useQuery(api.query(settingsContract, 'listSettings'))
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return (
    <SettingsForm answer={data}>
      <Page
        title={t('console.screen.methods')}
        lead={t('ways.methodsLead')}
        actions={
          <>
            <ShowCall target={settingsContract.listSettings} isQuery />
            <Link className="button button-secondary" to={settingsHistoryPath}>
              {t('setting.historyLink')}
            </Link>
          </>
        }
      >
        <WaysFindings />
        <Summary settings={data.settings} />
        {sections.map((section) => (
          <SectionPanel
            key={section.id}
            section={section}
            settings={data.settings.filter(({ key }) => sectionOf(key) === section)}
          />
        ))}
      </Page>
    </SettingsForm>
  )
}
