import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { healthAdminContract } from '../../../src/health/diagnosis/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Empty } from '../shared/empty.tsx'
import { Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { byUrgency, Findings } from '../shared/findings.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useLater } from '../shared/use-later.ts'
import { FirstSteps } from './first-steps.tsx'

const loadCharts = () => import('./charts/charts.tsx').then(({ Charts }) => Charts)
// Requests the code of the charts before the findings are drawn. A failure is ignored here, because `useLater` waits for the same code
// and shows the failure.
loadCharts().catch(() => undefined)

/** The findings of the server's checks that need attention. */
const NeedsYou = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data, error, refetch } = useQuery(api.query(healthAdminContract, 'diagnose'))
  if (data === undefined) {
    if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
    return (
      <div aria-busy="true">
        <p className="visually-hidden">{t('console.table.loading')}</p>
        <span className="placeholder bone-block" />
      </div>
    )
  }
  const open = byUrgency(data.checks).filter(({ severity }) => severity !== 'ok')
  return open.length === 0 ? (
    <Empty icon="check" title={t('overview.allGood')} text={t('overview.allGoodText', { count: data.checks.length })} />
  ) : (
    <Findings checks={open} />
  )
}

/** The first screen of the console: findings that need attention, and the setup steps of a new installation. */
export const OverviewScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  // The charts are rendered only after the findings.
  const Charts = useLater(loadCharts, 'consoleReasons')
  const { isFetching, refetch } = useQuery(api.query(healthAdminContract, 'diagnose'))
  return (
    <Page title={t('console.screen.overview')} lead={t('overview.lead')}>
      <FirstSteps />
      <Panel
        title={t('overview.findings')}
        actions={
          <>
            <ShowCall target={healthAdminContract.diagnose} command={['doctor']} isQuery />
            <Button kind="secondary" icon="refresh" working={isFetching} onClick={() => void refetch()}>
              {t('overview.again')}
            </Button>
          </>
        }
      >
        <NeedsYou />
      </Panel>
      <Suspense fallback={<span className="placeholder bone-block" />}>
        <Charts />
      </Suspense>
    </Page>
  )
}
