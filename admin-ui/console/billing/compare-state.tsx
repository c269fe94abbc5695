import { useEffect, useRef, useState } from 'react'
import { driftContract } from '../../../src/billing/drift/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { CopyField } from '../shared/copy-field.tsx'
import { Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Named } from '../shared/named.tsx'
import { Line, Lines } from '../shared/query-panel.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import '../styles/billing.css'

type Drifted = Answer<WireApi<typeof driftContract>['drift']>['customers'][number]

type State =
  | { readonly step: 'before' }
  | { readonly step: 'running' | 'stopped' | 'done'; readonly checked: number; readonly found: readonly Drifted[] }
  | { readonly step: 'failed'; readonly error: unknown }

const customersAtOnce = 100
const mostNamed = 100

/** Compares all customers, page by page. Leaving the screen or calling `stop` ends the comparison; its results until then stay. */
const useComparison = () => {
  const { api } = useConsole()
  const [state, setState] = useState<State>({ step: 'before' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = async () => {
    running.current?.abort()
    const run = new AbortController()
    running.current = run
    let [checked, found]: [number, readonly Drifted[]] = [0, []]
    setState({ step: 'running', checked, found })
    try {
      for (let after: string | undefined; ; ) {
        const page = await api.call(driftContract, 'drift', { query: { limit: customersAtOnce, after } })
        if (run.signal.aborted) return
        checked += page.checked
        found = [...found, ...page.customers]
        setState({ step: page.next === null ? 'done' : 'running', checked, found })
        if (page.next === null) return
        after = page.next
      }
    } catch (error) {
      if (!run.signal.aborted) setState({ step: 'failed', error })
    }
  }
  const stop = () => {
    running.current?.abort()
    setState((now) => (now.step === 'running' ? { ...now, step: 'stopped' } : now))
  }
  return { state, start: () => void start(), stop }
}

const Found = ({ found }: { readonly found: readonly Drifted[] }) => {
  const { t } = useI18n()
  if (found.length === 0) return null
  return (
    <>
      <Lines empty="">
        {found.slice(0, mostNamed).map(({ customerId, customer, owners, snapshot, link }) => (
          <Line
            key={customerId}
            title={<Named of={customer} />}
            detail={
              link === null ? (
                ''
              ) : (
                <>
                  {t(link.should === null ? 'billing.driftNobodys' : 'billing.driftOtherOwner')}
                  {owners.map((owner) => (
                    <span key={owner.id} className="line-source">
                      <Named of={owner} />
                    </span>
                  ))}
                </>
              )
            }
          >
            {snapshot ? <Badge tone="warn">{t('billing.driftSnapshot')}</Badge> : null}{' '}
            {link === null ? null : <Badge tone="warn">{t('billing.driftLink')}</Badge>}
          </Line>
        ))}
      </Lines>
      <div className="panel-body">
        <CopyField label={t('billing.driftRemedy')} value="gatehouse rebuild-billing" />
      </div>
    </>
  )
}

/** A button that compares the stored billing values with the values computed again from the received events. */
export const CompareState = () => {
  const { t } = useI18n()
  const { state, start, stop } = useComparison()
  const isRunning = state.step === 'running'
  return (
    <Panel
      title={t('billing.compareState')}
      actions={<ShowCall target={driftContract.drift} command={['rebuild-billing', '--check']} isQuery />}
    >
      <p className="panel-note">{t('billing.compareStateText')}</p>
      <div className="panel-body">
        {isRunning ? (
          <Button kind="secondary" onClick={stop}>
            {t('billing.stop')}
          </Button>
        ) : (
          <Button onClick={start}>{t('billing.compare')}</Button>
        )}
      </div>
      {state.step === 'failed' ? <Failure error={state.error} onRetry={start} /> : null}
      {state.step === 'before' || state.step === 'failed' ? null : (
        <>
          <p className="reading" role="status">
            {t(`billing.compare.${state.step}`, { count: state.checked })}{' '}
            <strong>
              {state.found.length === 0 ? t('billing.nothingDiffers') : t('billing.differs', { count: state.found.length })}
            </strong>
          </p>
          <Found found={state.found} />
        </>
      )}
    </Panel>
  )
}
