import { useEffect, useRef, useState } from 'react'
import { auditContract } from '../../../src/audit/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Empty } from '../shared/empty.tsx'
import { Facts, Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Id } from '../shared/id.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import '../styles/history.css'

interface Progress {
  readonly from: number
  readonly position: number
  readonly to: number
}

/** The last line of the streamed response. It is declared here because the contract has no schema for streams. */
interface Verification {
  readonly from: number
  readonly to: number
  readonly hash: string
  readonly checkpoints: number
  readonly unsealed: number
  readonly faults: readonly { readonly kind: string; readonly position: number; readonly message: string }[]
}

type State =
  | { readonly step: 'before' }
  | { readonly step: 'reading'; readonly progress?: Progress }
  | { readonly step: 'failed'; readonly error: unknown }
  | { readonly step: 'done'; readonly result: Verification }

/** Verifies the chain of audit events when the person asks for it. Leaving the page ends the verification. */
const useVerification = () => {
  const { api } = useConsole()
  const [state, setState] = useState<State>({ step: 'before' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const stop = () => {
    running.current?.abort()
    setState({ step: 'before' })
  }
  const start = async () => {
    running.current?.abort()
    const run = new AbortController()
    running.current = run
    setState({ step: 'reading' })
    const seen = (line: unknown) => {
      const { progress, result } = line as { readonly progress?: Progress; readonly result?: Verification }
      if (run.signal.aborted) return
      if (result !== undefined) setState({ step: 'done', result })
      else if (progress !== undefined) setState({ step: 'reading', progress })
    }
    try {
      await api.readLines(auditContract.verifyEvents, seen, run.signal)
      // A stream that ends without a result has failed.
      setState((now) => (now.step === 'reading' ? { step: 'failed', error: undefined } : now))
    } catch (error) {
      if (!run.signal.aborted) setState({ step: 'failed', error })
    }
  }
  return { state, start: () => void start(), stop }
}

const Outcome = ({ result }: { readonly result: Verification }) => {
  const { t, number } = useI18n()
  const { faults } = result
  return (
    <>
      <Facts
        rows={[
          [
            t('history.chain'),
            faults.length === 0 ? (
              <Badge key="chain" tone="good" icon="check">
                {t('history.intact')}
              </Badge>
            ) : (
              <Badge key="chain" tone="bad" icon="alert">
                {t('history.faulty', { count: faults.length })}
              </Badge>
            ),
          ],
          [t('history.positions'), t('history.fromTo', { from: result.from, to: result.to })],
          [t('history.checkpoints'), number(result.checkpoints)],
          [t('history.unsealedCount'), number(result.unsealed)],
          [
            t('history.head'),
            result.hash === '' ? undefined : (
              <span key="head" className="story-text">
                <Id id={result.hash} />
                <span className="finding-remedy">{t('history.headHint')}</span>
              </span>
            ),
          ],
        ]}
      />
      {faults.length === 0 ? null : (
        <ul className="findings faults" aria-label={t('history.faults')}>
          {faults.map(({ kind, position, message }) => (
            <li key={`${kind} ${position}`} className="finding">
              <code>{position}</code>
              <div className="story-text">
                <p>{kind}</p>
                <p className="finding-remedy break">{message}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The screen that verifies the whole chain of audit events, and shows changed, removed and moved events. */
export const VerificationScreen = () => {
  const { t } = useI18n()
  const { state, start, stop } = useVerification()
  const isReading = state.step === 'reading'
  return (
    <Page
      title={t('history.verification')}
      lead={t('history.verificationLead')}
      actions={
        isReading ? (
          <Button kind="secondary" onClick={stop}>
            {t('history.stop')}
          </Button>
        ) : (
          <Button onClick={start}>{t('history.verify')}</Button>
        )
      }
    >
      <Panel title={t('history.chain')} actions={<ShowCall target={auditContract.verifyEvents} command={['verify-audit']} />}>
        <div role="status">
          {state.step === 'reading' ? (
            <p className="reading">
              {state.progress === undefined
                ? t('console.table.loading')
                : t('history.reading', { position: state.progress.position, to: state.progress.to })}
            </p>
          ) : null}
          {state.step === 'done' ? <Outcome result={state.result} /> : null}
        </div>
        {state.step === 'before' ? (
          <Empty icon="link" title={t('history.notVerified')} text={t('history.notVerifiedText')} />
        ) : null}
        {state.step === 'failed' ? <Failure error={state.error} onRetry={start} /> : null}
      </Panel>
    </Page>
  )
}
