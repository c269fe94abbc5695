import type { ReactNode } from 'react'
import { useI18n } from '../../../shared/text.tsx'
import { Figure } from './bar-chart.tsx'
import type { Line } from './spans.ts'

interface RankingProps {
  /** Name of the counted things, for screen readers. */
  readonly title: string
  readonly label: string
  readonly lines: readonly Line[]
  readonly nameOf?: (line: Line) => ReactNode
  readonly linkOf: (line: Line) => string | undefined
}

/** A table of totals in a range of days, largest first, with bars. */
export const Ranking = ({ title, label, lines, nameOf = ({ name }) => name, linkOf }: RankingProps) => {
  const { t, locale } = useI18n()
  const format = new Intl.NumberFormat(locale)
  const highest = Math.max(1, ...lines.map(({ total }) => total))
  return (
    <table className="ranking">
      <caption className="visually-hidden">{title}</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{label}</th>
          <th scope="col">{t('overview.chart.count')}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.id}>
            <th scope="row" className="break">
              {nameOf(line)}
              <svg className="ranking-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                <rect className={`chart-bar-${line.color}`} width={(line.total / highest) * 100} height={1} />
              </svg>
            </th>
            <td>
              <Figure text={format.format(line.total)} to={linkOf(line)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
