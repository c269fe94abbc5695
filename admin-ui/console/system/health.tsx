import { useQuery } from '@tanstack/react-query'
import { healthAdminContract } from '../../../src/health/diagnosis/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { byUrgency, Findings } from '../shared/findings.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'

/** The screen with the findings of all checks, including the checks that passed. */
export const HealthScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data, error, isFetching, refetch } = useQuery(api.query(healthAdminContract, 'diagnose'))
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return (
    <Page
      title={t('system.health')}
      lead={t('system.healthLead')}
      actions={
        <Button kind="secondary" icon="refresh" working={isFetching} onClick={() => void refetch()}>
          {t('system.checkAgain')}
        </Button>
      }
    >
      <Panel title={t('system.checks')} actions={<ShowCall target={healthAdminContract.diagnose} command={['doctor']} isQuery />}>
        <Findings checks={byUrgency(data.checks)} />
      </Panel>
    </Page>
  )
}
