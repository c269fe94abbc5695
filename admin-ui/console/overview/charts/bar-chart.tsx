import type { KeyboardEvent } from 'react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useI18n } from '../../../shared/text.tsx'
import type { Line, Span } from './spans.ts'
import { changeOf, scaleOf, sumOf } from './spans.ts'

/**
 * Returns a function that formats a span of days in the reader's language. A `Span` contains dates without a time, so the formatter uses
 * UTC as its zone.
 */
export const useSpanText = () => {
  const { locale } = useI18n()
  const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return ({ from, to }: Span): string =>
    from === to ? format.format(new Date(from)) : format.formatRange(new Date(from), new Date(to))
}

const useNumber = () => {
  const { locale } = useI18n()
  const format = new Intl.NumberFormat(locale)
  return (value: number) => format.format(value)
}

/** Shows by how much a total has changed against the same number of days before. */
const Change = ({ line }: { readonly line: Line }) => {
  const { t, locale } = useI18n()
  const change = changeOf(line.total, line.before)
  if (change === undefined) return null
  const format = new Intl.NumberFormat(locale, { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 })
  return (
    <span className="who-detail" title={t('overview.chart.before')}>
      {format.format(change)}
      <span className="visually-hidden"> {t('overview.chart.before')}</span>
    </span>
  )
}

/** A number that links to the list of the rows it counts, if the person may see that list. */
export const Figure = ({ text, to }: { readonly text: string; readonly to: string | undefined }) =>
  to === undefined ? (
    <span className="chart-figure">{text}</span>
  ) : (
    <Link className="chart-figure" to={to}>
      {text}
    </Link>
  )

interface BarChartProps {
  /** Name of the counted things, for screen readers. */
  readonly title: string
  readonly spans: readonly Span[]
  readonly lines: readonly Line[]
  /** The text that replaces a chart without data. It names the day since when the server counts. */
  readonly none: string
  /** Formats a value for display. By default, values are shown as they are. */
  readonly format?: (value: number) => string
  /** Returns the address of the list of the rows that a number counts. Undefined if the person may not see that list. */
  readonly linkOf: (line: Line, span: Span) => string | undefined
}

/** A table with the numbers of the chart. Its rows are rendered only when the table is opened. */
const NumberTable = ({ title, spans, lines, format, linkOf }: Required<Omit<BarChartProps, 'none'>>) => {
  const { t } = useI18n()
  const spanText = useSpanText()
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="chart-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('overview.chart.table')}</summary>
      {isOpen ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element has to be reachable by keys.
        <section className="chart-scroll" aria-label={t('overview.chart.tableOf', { title })} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('overview.chart.when')}</th>
                {lines.map(({ id, name }) => (
                  <th key={id} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {spans
                .map((span, index) => (
                  <tr key={span.from}>
                    <th scope="row">{spanText(span)}</th>
                    {lines.map((line) => {
                      const value = line.values[index] ?? 0
                      return (
                        <td key={line.id}>
                          <Figure text={format(value)} to={value === 0 ? undefined : linkOf(line, span)} />
                        </td>
                      )
                    })}
                  </tr>
                ))
                .toReversed()}
            </tbody>
          </table>
        </section>
      ) : null}
    </details>
  )
}

/** The stacked bars of one span. */
const Bars = ({ lines, index, scale }: { readonly lines: readonly Line[]; readonly index: number; readonly scale: number }) => {
  let top = 100
  return lines.map(({ id, values, color }) => {
    const value = values[index] ?? 0
    if (value === 0) return null
    // Every value above zero gets at least this height, so that it is visible.
    const height = Math.max(1, (value / scale) * 100)
    top -= height
    return <rect key={id} className={`chart-bar chart-bar-${color}`} x={index * 10 + 1} width={8} y={top} height={height} />
  })
}

/** A bar chart over days, weeks or months, with a table of its numbers. */
export const BarChart = ({ title, spans, lines, none, format: given, linkOf }: BarChartProps) => {
  const { t } = useI18n()
  const spanText = useSpanText()
  const plain = useNumber()
  const format = given ?? plain
  const [at, setAt] = useState<number>()
  const navigate = useNavigate()
  const sums = spans.map((_, index) => sumOf(lines, index))
  const highest = Math.max(0, ...sums)
  const scale = scaleOf(highest)
  const all: Span = { from: spans[0]?.from ?? '', to: spans.at(-1)?.to ?? '' }
  const shown = (at === undefined ? undefined : spans[at]) ?? all
  const peak = spans[sums.indexOf(highest)] ?? all
  const summary = t('overview.chart.summary', {
    ...{ title, when: spanText(all), peak: spanText(peak), most: format(highest) },
    totals: lines.map(({ name, total }) => `${name} ${format(total)}`).join(', '),
  })
  const said = (index: number) =>
    `${spanText(spans[index] ?? all)}: ${lines.map(({ name, values }) => `${name} ${format(values[index] ?? 0)}`).join(', ')}`
  const onKey = (event: KeyboardEvent) => {
    const last = spans.length - 1
    const [first] = lines
    const span = spans[at ?? last]
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: (at ?? spans.length) - 1,
      ArrowRight: (at ?? -1) + 1,
      Home: 0,
      End: last,
    }
    const wanted = steps[event.key]
    if (wanted !== undefined) setAt(Math.max(0, Math.min(last, wanted)))
    else if (event.key === 'Escape' && at !== undefined) setAt(undefined)
    else if (event.key === 'Enter' && first !== undefined && span !== undefined) {
      const address = linkOf(first, span)
      if (address === undefined) return
      void navigate(address)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="chart">
      <div className="chart-head">
        <p className="chart-when">{spanText(shown)}</p>
        <ul className="chart-legend">
          {lines.map((line) => (
            <li key={line.id}>
              <span className={`chart-key chart-key-${line.color}`} aria-hidden="true" />
              {line.name}
              <Figure
                text={format(at === undefined ? line.total : (line.values[at] ?? 0))}
                to={line.total === 0 ? undefined : linkOf(line, shown)}
              />
              {at === undefined ? <Change line={line} /> : null}
            </li>
          ))}
        </ul>
      </div>
      <div className="chart-body">
        <span className="chart-scale" aria-hidden="true">
          {format(scale)}
        </span>
        <div className="chart-area">
          <svg
            className="chart-plot"
            role="img"
            aria-label={summary}
            viewBox={`0 0 ${Math.max(1, spans.length) * 10} 100`}
            preserveAspectRatio="none"
            onPointerMove={({ currentTarget, clientX }) => {
              const { left, width } = currentTarget.getBoundingClientRect()
              setAt(Math.min(spans.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * spans.length))))
            }}
            onPointerLeave={() => setAt(undefined)}
          >
            {at === undefined ? null : <rect className="chart-column" x={at * 10} width={10} y={0} height={100} />}
            {[0, 50, 100].map((y) => (
              <line key={y} className="chart-line" x1={0} x2={Math.max(1, spans.length) * 10} y1={y} y2={y} />
            ))}
            {spans.map((span, index) => (
              <Bars key={span.from} lines={lines} index={index} scale={scale} />
            ))}
          </svg>
          <div
            className="chart-keys"
            role="slider"
            tabIndex={0}
            aria-label={t('overview.chart.dayOf', { title })}
            aria-valuemin={0}
            aria-valuemax={Math.max(0, spans.length - 1)}
            aria-valuenow={at ?? Math.max(0, spans.length - 1)}
            aria-valuetext={said(at ?? spans.length - 1)}
            onKeyDown={onKey}
            onBlur={() => setAt(undefined)}
          />
        </div>
        <div className="chart-days" aria-hidden="true">
          <span>{all.from === '' ? '' : spanText({ from: all.from, to: all.from })}</span>
          <span>{all.to === '' ? '' : spanText({ from: spans.at(-1)?.from ?? '', to: spans.at(-1)?.from ?? '' })}</span>
        </div>
      </div>
      {highest === 0 ? <p className="chart-when">{none}</p> : null}
      <NumberTable title={title} spans={spans} lines={lines} format={format} linkOf={linkOf} />
    </div>
  )
}
