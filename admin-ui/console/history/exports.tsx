import { useQuery } from '@tanstack/react-query'
import { auditContract } from '../../../src/audit/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button, LinkButton } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Panel } from '../shared/facts.tsx'
import { useProblem } from '../shared/failure.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { useNotify } from '../shared/use-notify.ts'
import '../styles/history.css'

type Export = Answer<WireApi<typeof auditContract>['getEventExport']>
type Filters = Readonly<Record<string, string | undefined>>

/** How often the list is requested while an export is unfinished, in milliseconds. */
const againMs = 1_000
/** How many exports the server stores for a person. */
const mostKept = 10

const isUnderWay = ({ status }: Export) => status === 'pending' || status === 'running'

/** The exports of the person. They are requested again and again while one of them is unfinished. */
const useExports = (): readonly Export[] => {
  const { api } = useConsole()
  const { data } = useQuery({
    ...api.query(auditContract, 'listEventExports', { query: { limit: 100 } }),
    refetchInterval: ({ state }) => (state.data?.exports.some(isUnderWay) === true ? againMs : false),
  })
  return data?.exports ?? []
}

/** Returns a function that runs a change and shows an error as a notification. */
const useAttempt = () => {
  const problem = useProblem()
  const notify = useNotify()
  return (change: () => Promise<unknown>) => void change().catch((error: unknown) => notify(problem(error), 'bad'))
}

const bodyOf = (filters: Filters, format: Export['format']) => ({
  ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
  format,
})

/** Buttons that export the audit events which match the filters. */
export const ExportButtons = ({ filters }: { readonly filters: Filters }) => {
  const { t } = useI18n()
  const exports = useExports()
  const create = useChange(auditContract, 'createEventExport', t('history.exportBegun'))
  const attempt = useAttempt()
  const isFull = exports.filter(({ status }) => status !== 'failed').length >= mostKept
  const button = (format: Export['format'], text: string) => (
    <ActionButton
      permission="events:read"
      blocked={isFull ? t('history.exportsFull') : undefined}
      onClick={() => attempt(() => create({ body: bodyOf(filters, format) }))}
    >
      {text}
    </ActionButton>
  )
  return (
    <>
      {button('csv', t('history.exportCsv'))}
      {button('jsonl', t('history.exportJson'))}
      <ShowCall target={auditContract.createEventExport} input={{ body: bodyOf(filters, 'csv') }} />
    </>
  )
}

const formatNames = { csv: 'CSV', jsonl: 'JSON Lines' } as const

const useSize = () => {
  const { locale } = useI18n()
  return (bytes: number) => {
    const [unit, size] = bytes < 1_000_000 ? (['kilobyte', 1_000] as const) : (['megabyte', 1_000_000] as const)
    return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(bytes / size)
  }
}

const StatusBadge = ({ status }: Pick<Export, 'status'>) => {
  const { t } = useI18n()
  const tones = { pending: 'plain', running: 'new', made: 'good', failed: 'bad' } as const
  return <Badge tone={tones[status]}>{t(`history.export.${status}`)}</Badge>
}

const ExportRow = ({ one }: { readonly one: Export }) => {
  const { t } = useI18n()
  const size = useSize()
  const create = useChange(auditContract, 'createEventExport', t('history.exportBegun'))
  const remove = useChange(auditContract, 'deleteEventExport', t('history.exportDeleted'))
  const attempt = useAttempt()
  const { id, format, filters, status, error, progress, events, bytes, createdAt, expiresAt } = one
  const words = Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
  const what = formatNames[format]
  return (
    <li className="finding">
      <div>
        <StatusBadge status={status} />
      </div>
      <div className="export-text">
        <p>
          {what} · <Time at={createdAt} />
        </p>
        {words.length === 0 ? null : <code className="break">{words.join(' ')}</code>}
        {isUnderWay(one) ? <progress max={100} value={progress} aria-label={t('history.exportProgress')} /> : null}
        <p className="finding-remedy">
          {error === null ? t('history.exportEvents', { count: events }) : t(`history.exportError.${error}`)}
          {status === 'made' ? (
            <>
              {` · ${size(bytes)} · ${t('history.exportUntil')} `}
              <Time at={expiresAt} />
            </>
          ) : null}
        </p>
      </div>
      <div className="export-actions">
        {status === 'made' ? (
          <LinkButton kind="secondary" href={auditContract.downloadEventExport.path.replace(':id', id)}>
            {t('history.exportDownload')}
          </LinkButton>
        ) : null}
        {status === 'failed' ? (
          <Button kind="secondary" onClick={() => attempt(() => create({ body: bodyOf(filters, format) }))}>
            {t('history.exportAgain')}
          </Button>
        ) : null}
        <Button kind="quiet" onClick={() => attempt(() => remove({ params: { id } }))}>
          {t('history.exportDelete')}
        </Button>
      </div>
    </li>
  )
}

/** The list of the person's exports: progress, file, or why the export failed. Renders nothing if there are no exports. */
export const ExportsPanel = () => {
  const { t } = useI18n()
  const exports = useExports()
  const ended = exports.filter((one) => !isUnderWay(one)).length
  if (exports.length === 0) return null
  return (
    <Panel title={t('history.exports')} actions={<ShowCall target={auditContract.listEventExports} isQuery />}>
      <p className="visually-hidden" role="status">
        {t('history.exportsEnded', { count: ended, all: exports.length })}
      </p>
      <ul className="findings exports" aria-label={t('history.exports')}>
        {exports.map((one) => (
          <ExportRow key={one.id} one={one} />
        ))}
      </ul>
    </Panel>
  )
}
