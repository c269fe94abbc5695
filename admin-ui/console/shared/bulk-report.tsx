import { useEffect, useState, useSyncExternalStore } from 'react'
import { Link } from 'react-router'
import { ApiError } from '../../../src/http/client.ts'
import { Dialog } from '../../shared/dialog.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import type { Outcome, Run } from './bulk-run.ts'
import { useProblem } from './failure.tsx'
import { useCopy } from './use-copy.ts'
import '../styles/bulk.css'

interface BulkReportProps<Row> {
  readonly title: string
  readonly run: Run<Row>
  /** Returns a summary of the finished rows. Without it, the report shows how many rows are finished. */
  readonly summary?: ((done: readonly Outcome<Row>[]) => string) | undefined
  readonly onLeave: () => void
}

/** Moves the focus to the start of the screen, because the element with the focus is about to be removed. */
const focusScreen = () => {
  if (document.activeElement === document.body) document.getElementById('content')?.focus()
}

const useReport = <Row,>({ title, run, summary }: Omit<BulkReportProps<Row>, 'onLeave'>) => {
  const { t } = useI18n()
  const problem = useProblem()
  const state = useSyncExternalStore(run.subscribe, run.read)
  const outcomes = [...state.outcomes.values()]
  const done = outcomes.filter(({ error }) => error === undefined)
  const failed = outcomes
    .filter(({ error }) => error !== undefined)
    .map(({ row, error }) => ({ row, error, why: typeof error === 'string' ? error : problem(error) }))
  const left = (run.rows ?? []).filter(({ id }) => !state.outcomes.has(id))
  const counts = [
    summary?.(done) ?? t('lists.done', { count: done.length }),
    t('lists.failed', { count: failed.length }),
    ...(state.step === 'stopped' && left.length > 0 ? [t('lists.left', { count: left.length })] : []),
  ].join(' ')
  const text = [
    `${title}. ${counts}`,
    ...failed.map(({ row, error, why }) =>
      [row.name, row.id, why, error instanceof ApiError ? (error.requestId ?? '') : ''].join('\t').trimEnd(),
    ),
  ].join('\n')
  return { ...state, problem, failed, left, counts, text, tried: outcomes.length }
}

/** Shows the progress of a bulk action and the result of each row. A closed report is a line in the corner of every screen. */
export const BulkReport = <Row,>({ title, run, summary, onLeave }: BulkReportProps<Row>) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(true)
  const { step, error, problem, failed, left, counts, text, tried } = useReport({ title, run, summary })
  const { outcome, copy } = useCopy(text)
  const isRunning = step === 'running'
  useEffect(() => {
    if (!isOpen) focusScreen()
    return focusScreen
  }, [isOpen])
  const progress = <progress aria-label={title} {...(run.rows === undefined ? {} : { max: run.rows.length, value: tried })} />
  if (!isOpen)
    return (
      <section className="corner" aria-label={title}>
        <span className="corner-text">
          <strong>{title}</strong>
          {isRunning ? progress : null}
          <span role="status">{isRunning ? '' : counts}</span>
        </span>
        <Button kind="secondary" onClick={() => setIsOpen(true)}>
          {t('lists.show')}
        </Button>
      </section>
    )
  return (
    <Dialog title={title} onClose={isRunning ? () => setIsOpen(false) : onLeave}>
      <div className="bulk-report">
        {isRunning ? progress : null}
        <p role="status">{isRunning ? t('lists.running', { count: tried }) : counts}</p>
        {isRunning ? <p className="call-note">{t('lists.goesOn')}</p> : null}
        {failed.length === 0 ? null : (
          <ul className="bulk-failed" aria-label={t('lists.failed', { count: failed.length })}>
            {failed.map(({ row, why }) => (
              <li key={row.id} className="break">
                {row.href === undefined ? (
                  <strong>{row.name}</strong>
                ) : (
                  <Link to={row.href} onClick={() => setIsOpen(false)}>
                    {row.name}
                  </Link>
                )}{' '}
                {why}
              </li>
            ))}
          </ul>
        )}
        <div role="alert">{error === undefined ? null : <Notice tone="bad">{problem(error)}</Notice>}</div>
      </div>
      <div className="dialog-actions">
        <Button kind="secondary" onClick={isRunning ? () => setIsOpen(false) : onLeave}>
          {t('console.peek.close')}
        </Button>
        {isRunning ? (
          <Button kind="secondary" onClick={run.stop}>
            {t('lists.stop')}
          </Button>
        ) : (
          <>
            <Button kind="secondary" icon={outcome === 'done' ? 'check' : 'copy'} onClick={() => void copy()}>
              {outcome === undefined ? t('lists.copy') : t(outcome === 'done' ? 'console.copied' : 'console.copyFailed')}
            </Button>
            {left.length > 0 || (run.rows === undefined && step === 'stopped') ? (
              <Button onClick={() => run.again(run.rows === undefined ? undefined : left)}>{t('lists.goOn')}</Button>
            ) : null}
            {failed.length === 0 ? null : (
              <Button onClick={() => run.again(failed.map(({ row }) => row))}>{t('lists.again')}</Button>
            )}
          </>
        )}
      </div>
    </Dialog>
  )
}
