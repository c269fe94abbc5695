import type { z } from 'zod'
import { can } from '../access/can.ts'
import type { Principal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import { coreErrors } from '../core/errors.ts'
import { listReaders } from '../core/events/readers.ts'
import { readTimeZone } from '../core/time-zone.ts'
import type { statisticsContract } from './contract.ts'
import { statisticsErrors } from './contract.ts'
import { isOfHalfHours, measures, peopleMeasures, readerName, sinceName } from './measures.ts'
import { type Count, dayOf, daysFrom, others, type Period, type PeriodKind, periodsOf, shiftDay } from './rules.ts'
import * as store from './store.ts'
import { dayIn, segmentsOf } from './zones.ts'

type Shown = z.output<typeof statisticsContract.statistics.response>
type Series = Shown['series'][number]

/** The daily numbers of the instance. */
export interface Statistics {
  /**
   * Returns the numbers from the first to the last day of a range, by default for the last 30 days. Throws FORBIDDEN,
   * RANGE_OF_DAYS_IS_NOT_VALID and TIME_ZONE_NOT_KNOWN.
   */
  read(principal: Principal, range: z.output<typeof statisticsContract.statistics.query>): Promise<Shown>
}

/**
 * The first and last day that can be requested. Nothing was counted before the first one. After the last one, years have more than four
 * digits.
 */
const firstKnown = '1970-01-01'
const lastKnown = '9998-12-31'
/** How many days can be requested at once. */
const mostDays = 366
const usualDays = 30
/** How many keys of a measure are listed separately. The numbers of all others are added up. */
const mostNamed = 12

const names = Object.keys(measures) as readonly (keyof typeof measures)[]
const lags: readonly Series['measure'][] = ['queueLag', 'webhookLag']
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const highest = (values: readonly number[]) => Math.max(0, ...values)

/** The series of a measure, one for each key, the largest first. The numbers of keys beyond `mostNamed` are added up in one series. */
const seriesOf = (measure: Series['measure'], days: readonly string[], counts: readonly Count[]): readonly Series[] => {
  const merge = lags.includes(measure) ? highest : sum
  const place = new Map(days.map((day, index) => [day, index]))
  const lines = new Map<string, number[]>()
  for (const { day, key, amount } of counts) {
    const values = lines.get(key) ?? days.map(() => 0)
    values[place.get(day) ?? 0] = amount
    lines.set(key, values)
  }
  const all = [...lines]
    .map(([key, values]) => ({ measure, key, values, total: merge(values) }))
    .sort((one, other) => other.total - one.total || (one.key < other.key ? -1 : 1))
  const named = all.filter(({ key }) => key !== others).slice(0, mostNamed)
  const rest = all.filter((one) => !named.includes(one))
  if (rest.length === 0) return named
  const values = days.map((_, index) => merge(rest.map((one) => one.values[index] ?? 0)))
  return [...named, { measure, key: others, values, total: merge(values) }]
}

export const createStatistics = ({ db, clock }: Pick<Core, 'db' | 'clock'>): Statistics => {
  /** The periods in the range, with how many people were active in each. */
  const peopleOf = (kind: PeriodKind, days: readonly string[], counts: readonly Count[]) => {
    const periods = new Map<string, Period>(days.map((day) => [periodsOf(day)[kind].firstDay, periodsOf(day)[kind]]))
    const found = new Map(counts.flatMap(({ day, measure, amount }) => (measure === peopleMeasures[kind] ? [[day, amount]] : [])))
    return [...periods.values()].map(({ firstDay, lastDay }) => ({
      ...{ from: firstDay, to: lastDay },
      people: found.get(firstDay) ?? 0,
    }))
  }
  return {
    read: async (principal, { from: given, to: givenTo, zone: named = 'UTC' }) => {
      if (!can(principal, 'health:read')) throw coreErrors.error('FORBIDDEN')
      const zone = readTimeZone(named)
      if (zone === undefined) throw statisticsErrors.error('TIME_ZONE_NOT_KNOWN')
      const to = givenTo ?? dayIn(zone, clock.now())
      const from = given ?? shiftDay(to, 1 - usualDays)
      const isRange = firstKnown <= from && from <= to && to <= lastKnown && shiftDay(from, mostDays) > to
      const days = isRange ? daysFrom(from, to) : []
      if (days.length === 0) throw statisticsErrors.error('RANGE_OF_DAYS_IS_NOT_VALID')
      const { week, month } = periodsOf(from)
      // The week and the month that contain the first day may begin before it.
      const begin = week.firstDay < month.firstDay ? week.firstDay : month.firstDay
      const people = await store.listPlainCounts(db, daysFrom(begin, to), Object.values(peopleMeasures))
      const found = await store.listCounts(db, {
        ...{ days, segments: segmentsOf(zone, from, to), names: Object.values(measures), mostKeys: mostNamed },
        highest: lags.map((name) => measures[name]),
      })
      const counts = Map.groupBy(found, ({ measure }) => measure)
      const whole = found.flatMap(({ day, measure, isWhole }) => (isWhole && isOfHalfHours(measure) ? [day] : []))
      const first = await store.findFirstDay(db)
      const since = (await store.findProgress(db, sinceName))?.through ?? clock.now()
      return {
        ...{ from, to, days: [...days], zone: named },
        countedSince: first !== undefined && first < dayOf(since) ? first.slice(0, 10) : dayIn(zone, since),
        utcUntil: zone === 'UTC' || whole.length === 0 ? null : whole.reduce((one, other) => (one > other ? one : other)),
        series: names.flatMap((name) => [...seriesOf(name, days, counts.get(measures[name]) ?? [])]),
        activePeople: {
          byDay: peopleOf('day', days, people),
          byWeek: peopleOf('week', days, people),
          byMonth: peopleOf('month', days, people),
        },
        eventsBehind: (await listReaders(db, [readerName]))[0]?.lag ?? 0,
      }
    },
  }
}
