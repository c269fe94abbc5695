import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { billingOperationsContract } from '../../../src/billing/administration/contract.ts'
import { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import { Dialog } from '../../hosted/account/dialog.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { useProblem } from '../shared/failure.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { deliveryPath, verdictOptions } from './parts.tsx'

interface Refused {
  readonly id: string
  readonly type: string | null
  readonly why: string
}

interface Report {
  readonly applied: number
  /** Understood, and changed nothing. */
  readonly other: number
  readonly refused: readonly Refused[]
}

type Filter = Readonly<Record<string, string | undefined>>

type State = { readonly report: Report; readonly step: 'before' | 'running' | 'stopped' | 'done'; readonly error?: unknown }

const atOnce = 50
const nothing: Report = { applied: 0, other: 0, refused: [] }

/** Replays all deliveries of a filter, the oldest first; leaving the screen or `stop` ends it after those that were asked for. */
const useBulkReplay = (filter: Filter) => {
  const { api } = useConsole()
  const client = useQueryClient()
  const [state, setState] = useState<State>({ step: 'before', report: nothing })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = async () => {
    const run = new AbortController()
    running.current = run
    let report = nothing
    setState({ step: 'running', report })
    try {
      for (let after: string | undefined; !run.signal.aborted; ) {
        const query = { ...filter, order: 'asc' as const, limit: atOnce, after }
        const { deliveries: found, next } = await api.call(billingAdminContract, 'deliveries', { query })
        const left = found.filter(({ verdict }) => verdict !== 'removed')
        const { deliveries: replayed } =
          left.length === 0
            ? { deliveries: [] }
            : await api.call(billingOperationsContract, 'replayDeliveries', { body: { ids: left.map(({ id }) => id) } })
        const types = new Map(left.map(({ id, type }) => [id, type]))
        report = {
          applied: report.applied + replayed.filter(({ effect }) => effect === 'applied').length,
          other: report.other + replayed.filter(({ effect }) => effect !== null && effect !== 'applied').length,
          refused: [
            ...report.refused,
            ...replayed.flatMap(({ id, error }) => {
              if (error === null) return []
              const issues = (error.issues ?? []).map(({ path, message }) => `${path}: ${message}`).join('; ')
              return { id, type: types.get(id) ?? null, why: issues === '' ? error.message : issues }
            }),
          ],
        }
        setState({ step: next === null ? 'done' : run.signal.aborted ? 'stopped' : 'running', report })
        if (next === null) break
        after = next
      }
    } catch (error) {
      setState({ step: 'stopped', report, error })
    }
    await client.invalidateQueries()
  }
  return { state, start: () => void start(), stop: () => running.current?.abort() }
}

/** What became of them: how many were applied, and which were refused why. */
const ReportOf = ({ report: { applied, other, refused } }: { readonly report: Report }) => {
  const { t } = useI18n()
  return (
    <div className="bulk-report">
      <p role="status">
        {t('billing.bulkApplied', { count: applied })} {t('billing.bulkOther', { count: other })}{' '}
        <strong>{t('billing.bulkRefused', { count: refused.length })}</strong>
      </p>
      {refused.length === 0 ? null : (
        <ul className="bulk-refused" aria-label={t('billing.bulkRefused', { count: refused.length })}>
          {refused.map(({ id, type, why }) => (
            <li key={id} className="break">
              <Link to={deliveryPath(id)}>
                <code>{type ?? t('billing.noType')}</code>
              </Link>{' '}
              {why}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const BulkDialog = ({ filter, onClose }: { readonly filter: Filter; readonly onClose: () => void }) => {
  const { t } = useI18n()
  const problem = useProblem()
  const { state, start, stop } = useBulkReplay(filter)
  const { step, report, error } = state
  const verdict = verdictOptions.find((one) => one === filter['verdict'])
  const given = [
    ...(verdict === undefined ? [] : [`${t('billing.verdict')}: ${t(`billing.verdict.${verdict}`)}`]),
    ...(filter['type'] === undefined ? [] : [`${t('billing.type')}: ${filter['type']}`]),
    ...(filter['customerId'] === undefined ? [] : [`${t('billing.customer')}: ${filter['customerId']}`]),
  ]
  return (
    <Dialog title={t('billing.bulkTitle')} onClose={onClose}>
      <ul className="consequences" aria-label={t('console.confirm.counts')}>
        <li>{given.length === 0 ? t('billing.bulkAll') : t('billing.bulkFilter', { filter: given.join(' · ') })}</li>
        <li>{t('billing.bulkTwice')}</li>
        <li>{t('billing.bulkOldest')}</li>
      </ul>
      {step === 'before' ? null : <ReportOf report={report} />}
      <div role="alert">{error === undefined ? null : <Notice tone="bad">{problem(error)}</Notice>}</div>
      <div className="dialog-actions">
        <Button kind="secondary" onClick={onClose}>
          {t('console.peek.close')}
        </Button>
        {step === 'running' ? (
          <Button kind="secondary" onClick={stop}>
            {t('billing.stop')}
          </Button>
        ) : step === 'done' ? null : (
          <Button onClick={start}>{t('billing.bulkStart')}</Button>
        )}
      </div>
      <ShowCall target={billingOperationsContract.replayDeliveries} input={{ body: { ids: ['…'] } }} />
    </Dialog>
  )
}

/** Replays what the inbox shows, page after page; without a filter what waits in quarantine. */
export const BulkReplay = ({ filter }: { readonly filter: Filter }) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <>
      <ActionButton permission="deliveries:update" icon="refresh" onClick={() => setIsOpen(true)}>
        {t(isFiltered ? 'billing.bulkMatching' : 'billing.bulkQuarantined')}
      </ActionButton>
      {isOpen ? <BulkDialog filter={isFiltered ? filter : { verdict: 'quarantined' }} onClose={() => setIsOpen(false)} /> : null}
    </>
  )
}
