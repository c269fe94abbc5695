import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import type { WireApi } from '../../../../src/http/contract.ts'
import { statisticsContract } from '../../../../src/statistics/contract.ts'
import '../../styles/charts.css'
import type { Answer } from '../../../shared/api.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { Empty } from '../../shared/empty.tsx'
import { Panel } from '../../shared/facts.tsx'
import { Failure } from '../../shared/failure.tsx'
import { useReasonName } from '../../shared/reasons.ts'
import { ShowCall } from '../../shared/show-call.tsx'
import { BarChart, useSpanText } from './bar-chart.tsx'
import { Choice } from './choice.tsx'
import { useRows } from './links.ts'
import { others, useApplicationNames, useMethod } from './names.ts'
import { Ranking } from './ranking.tsx'
import type { Line, Range } from './spans.ts'
import { firstDayOf, rangeOf, ranges, shiftDay, zoneHere } from './spans.ts'

type Statistics = Answer<WireApi<typeof statisticsContract>['statistics']>
type Measure = Statistics['series'][number]['measure']

const periods = ['day', 'week', 'month'] as const

/** Adds up several series, day by day. */
const added = (some: readonly { readonly values: readonly number[]; readonly total: number }[], length: number) => ({
  values: Array.from({ length }, (_, index) => some.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)),
  total: some.reduce((sum, { total }) => sum + total, 0),
})

/** Returns a function that formats seconds for reading. */
const useSeconds = () => {
  const { locale } = useI18n()
  const of = (unit: 'second' | 'minute' | 'hour') =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 })
  const [seconds, minutes, hours] = [of('second'), of('minute'), of('hour')]
  return (value: number) =>
    value < 120 ? seconds.format(value) : value < 7_200 ? minutes.format(value / 60) : hours.format(value / 3_600)
}

/** All charts with the server's statistics. */
const ChartGrid = ({ data, before }: { readonly data: Statistics; readonly before: Statistics | undefined }) => {
  const { t } = useI18n()
  const rows = useRows()
  const method = useMethod()
  const seconds = useSeconds()
  const [address, setAddress] = useSearchParams()
  const period = periods.find((one) => one === address.get('people')) ?? 'day'
  const of = (measure: Measure) => data.series.filter((one) => one.measure === measure)
  const was = (measure: Measure, key?: string) =>
    before?.series
      .filter((one) => one.measure === measure && (key === undefined || one.key === key))
      .reduce((sum, { total }) => sum + total, 0)
  const days = data.days.map((day) => ({ from: day, to: day }))
  const spanText = useSpanText()
  const since = spanText({ from: data.countedSince, to: data.countedSince })
  const none = `${t('overview.chart.none')} ${t('overview.chart.since', { day: since })}`
  const line = (id: string, name: string, color: Line['color'], some: Parameters<typeof added>[0], earlier?: number): Line => ({
    ...{ id, name, color, ...(earlier === undefined ? {} : { before: earlier }) },
    ...added(some, days.length),
  })
  const named = new Map<string, Line>()
  for (const { key, ...series } of of('signIns')) {
    const { id, name, color } = method(key)
    const before = named.get(id)
    named.set(id, line(id, name, color, before === undefined ? [series] : [before, series]))
  }
  const { byDay, byWeek, byMonth } = data.activePeople
  const people = { day: byDay, week: byWeek, month: byMonth }[period].map((one) => ({ ...one, isUtc: true }))
  // A person is counted once for each day in UTC. Such counts cannot be converted to another zone, so a note says that their days are in
  // UTC.
  const utc = data.zone === 'UTC' ? null : <p className="panel-text charts-note">{t('overview.chart.utc')}</p>
  const peopleValues = people.map((one) => one.people)
  const applications = of('applicationPeople')
  const names = useApplicationNames(applications.flatMap(({ key }) => (key === others ? [] : [key])))
  const ranked = (measure: Measure, color: Line['color'], nameOf: (key: string) => string): readonly Line[] =>
    of(measure).map(({ key, values, total }) => ({
      ...{ id: key, values, total, color },
      name: key === others ? t('overview.chart.others') : nameOf(key),
    }))
  const failures = ranked('failedSignIns', 2, useReasonName())
  const lags = (measure: Measure, color: Line['color']) => {
    const some = of(measure)
    const values = days.map((_, index) => Math.max(0, ...some.map((one) => one.values[index] ?? 0)))
    return {
      id: measure,
      name: t(`overview.line.${measure === 'queueLag' ? 'queueLag' : 'webhookLag'}`),
      color,
      values,
      total: Math.max(0, ...values),
    }
  }
  return (
    <div className="charts">
      <Panel title={t('overview.chart.signIns')}>
        <BarChart
          none={none}
          title={t('overview.chart.signIns')}
          spans={days}
          lines={[
            line('ok', t('overview.line.ok'), 1, of('signIns'), was('signIns')),
            line('failed', t('overview.line.failed'), 2, of('failedSignIns'), was('failedSignIns')),
          ]}
          linkOf={({ id }, span) => (id === 'ok' ? rows.events('session.started', span) : rows.failures(span))}
        />
      </Panel>
      <Panel
        title={t('overview.chart.people')}
        actions={
          <Choice
            label={t('overview.chart.per')}
            value={period}
            options={periods.map((one) => [one, t(`overview.period.${one}`)])}
            onChange={(value) =>
              setAddress(
                (before) => {
                  const next = new URLSearchParams(before)
                  next.set('people', value)
                  return next
                },
                { replace: true },
              )
            }
          />
        }
      >
        <BarChart
          none={none}
          title={t('overview.chart.people')}
          spans={people}
          lines={[
            {
              ...{ id: 'people', name: t(`overview.most.${period}`), color: 3 },
              ...{ values: peopleValues, total: Math.max(0, ...peopleValues) },
            },
          ]}
          linkOf={(_, span) => rows.events('session.started', span)}
        />
        {utc}
      </Panel>
      <Panel title={t('overview.chart.methods')}>
        {named.size === 0 ? (
          <p className="panel-text">{none}</p>
        ) : (
          <BarChart
            none={none}
            title={t('overview.chart.methods')}
            spans={days}
            lines={[...named.values()]}
            linkOf={(_, span) => rows.events('session.started', span)}
          />
        )}
      </Panel>
      <Panel title={t('overview.chart.failures')}>
        {failures.length === 0 ? (
          <p className="panel-text">{none}</p>
        ) : (
          <Ranking
            title={t('overview.chart.failures')}
            label={t('overview.chart.reason')}
            lines={failures}
            linkOf={({ id }) => rows.failures({ from: data.from, to: data.to }, id === others ? undefined : id)}
          />
        )}
      </Panel>
      <Panel title={t('overview.chart.signUps')}>
        <BarChart
          none={none}
          title={t('overview.chart.signUps')}
          spans={days}
          lines={[line('signUps', t('overview.line.signUps'), 3, of('signUps'), was('signUps'))]}
          linkOf={(_, span) => rows.events('user.created', span)}
        />
      </Panel>
      <Panel title={t('overview.chart.applications')}>
        {applications.length === 0 ? (
          <p className="panel-text">{none}</p>
        ) : (
          <Ranking
            title={t('overview.chart.applications')}
            label={t('overview.chart.application')}
            lines={ranked('applicationPeople', 3, (key) => names.get(key) ?? key)}
            linkOf={({ id }) => (id === others ? undefined : rows.application(id))}
          />
        )}
        {utc}
      </Panel>
      <Panel title={t('overview.chart.mails')}>
        <BarChart
          none={none}
          title={t('overview.chart.mails')}
          spans={days}
          lines={[
            line(
              'sent',
              t('overview.line.sent'),
              1,
              of('mails').filter(({ key }) => key === 'sent'),
              was('mails', 'sent'),
            ),
            line(
              'failed',
              t('overview.line.failed'),
              2,
              of('mails').filter(({ key }) => key === 'failed'),
              was('mails', 'failed'),
            ),
          ]}
          linkOf={({ id }, span) => rows.mails(id, span)}
        />
      </Panel>
      {(['queueLag', 'webhookLag'] as const).map((measure) => (
        <Panel key={measure} title={t(`overview.chart.${measure}`)}>
          <BarChart
            none={none}
            title={t(`overview.chart.${measure}`)}
            spans={days}
            lines={[lags(measure, measure === 'queueLag' ? 4 : 5)]}
            format={seconds}
            linkOf={(_, span) => (measure === 'queueLag' ? rows.tasks(span) : rows.deliveries())}
          />
        </Panel>
      ))}
    </div>
  )
}

/** Statistics of the last days. The number of days is in the address. */
export const Charts = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [address, setAddress] = useSearchParams()
  const range = rangeOf(address.get('days'))
  const zone = zoneHere()
  const query = { from: firstDayOf(range, new Date()), zone }
  const spanText = useSpanText()
  const dayText = (day: string) => spanText({ from: day, to: day })
  const { data, error, refetch } = useQuery({
    ...api.query(statisticsContract, 'statistics', { query }),
    placeholderData: (before) => before,
  })
  const earlier = useQuery(
    api.query(statisticsContract, 'statistics', {
      query: { from: shiftDay(query.from, -range), to: shiftDay(query.from, -1), zone },
    }),
  )
  const choose = (value: string) =>
    setAddress(
      (before) => {
        const next = new URLSearchParams(before)
        next.set('days', value)
        return next
      },
      { replace: true },
    )
  const isEmpty = data !== undefined && data.series.length === 0 && data.activePeople.byMonth.every(({ people }) => people === 0)
  return (
    <section className="charts-part" aria-label={t('overview.charts')}>
      <div className="charts-head">
        <h2>{t('overview.charts')}</h2>
        <p className="charts-note">
          {data !== undefined && data.eventsBehind > 0
            ? t('overview.chart.behind', { count: data.eventsBehind })
            : data === undefined
              ? null
              : [
                  data.zone === 'UTC' ? t('overview.chart.utc') : t('overview.chart.zone', { zone: data.zone }),
                  ...(data.utcUntil === null ? [] : [t('overview.chart.utcUntil', { day: dayText(data.utcUntil) })]),
                ].join(' ')}
        </p>
        <ShowCall target={statisticsContract.statistics} input={{ query }} isQuery />
        <Choice
          label={t('overview.chart.range')}
          value={String(range)}
          options={ranges.map((days: Range) => [String(days), t('overview.chart.days', { count: days })])}
          onChange={choose}
        />
      </div>
      {data === undefined ? (
        error === null ? (
          <div aria-busy="true">
            <p className="visually-hidden">{t('console.table.loading')}</p>
            <span className="placeholder bone-block" />
          </div>
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )
      ) : isEmpty ? (
        <Empty
          icon="clock"
          title={t('overview.chart.empty')}
          text={`${t('overview.chart.emptyText')} ${t('overview.chart.since', { day: dayText(data.countedSince) })}`}
        />
      ) : (
        <ChartGrid data={data} before={earlier.data} />
      )}
    </section>
  )
}
