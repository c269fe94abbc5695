import type { Tx } from '../core/db/database.ts'
import { measures, peopleMeasures } from './measures.ts'
import { type Count, limitKeys, mergeCounts, type Period, periodsOf } from './rules.ts'
import * as store from './store.ts'

/** A person who was active on a day. `clientId` is the application that the person used, if any. */
export interface Active {
  readonly day: string
  readonly userId: string
  readonly clientId?: string
}

const add = (one: number, other: number) => one + other

const rowOf = ({ name, lastDay }: Period, userId: string, clientId = ''): store.ActivityRow => ({
  period: name,
  clientId,
  userId,
  endsOn: lastDay,
})

const keyOf = ({ period, clientId, userId }: store.ActivityRow) => `${period} ${clientId} ${userId}`
/** Removes duplicate rows, and sorts the rest. All nodes use the same order, so that they do not block each other. */
const inOrder = (rows: readonly store.ActivityRow[]): readonly store.ActivityRow[] =>
  [...new Map(rows.map((row) => [keyOf(row), row]))].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)

/** Stores which people were active. Returns how much each number of active people increases. */
const insertActive = async (tx: Tx, active: readonly Active[]): Promise<readonly Count[]> => {
  const days = active.flatMap(({ day, userId, clientId }) => {
    const period = periodsOf(day).day
    return clientId === undefined ? [rowOf(period, userId)] : [rowOf(period, userId), rowOf(period, userId, clientId)]
  })
  const fresh = await store.insertActivities(tx, inOrder(days))
  const count = (measure: string, day: string, key = ''): Count => ({ day, measure, key, amount: 1 })
  const ofDays = fresh.map(({ period, clientId }) =>
    clientId === '' ? count(peopleMeasures.day, period) : count(measures.applicationPeople, period, clientId),
  )
  // Adds the rows for the week and the month. A person who was already active in that period is not counted again.
  const longer = fresh.flatMap(({ period, clientId, userId }) => {
    if (clientId !== '') return []
    const { week, month } = periodsOf(period)
    return [rowOf(week, userId), rowOf(month, userId)]
  })
  const firstDays = new Map(
    fresh.flatMap(({ period }) => {
      const { week, month } = periodsOf(period)
      return [
        [week.name, count(peopleMeasures.week, week.firstDay)],
        [month.name, count(peopleMeasures.month, month.firstDay)],
      ] as const
    }),
  )
  const begun = await store.insertActivities(tx, inOrder(longer))
  return [...ofDays, ...begun.flatMap(({ period }) => firstDays.get(period) ?? [])]
}

/** Adds counts to the stored daily numbers. Keys beyond the limit are counted together. A person is counted once in each period. */
export const writeDown = async (
  tx: Tx,
  counts: readonly Count[],
  active: readonly Active[],
  highest: readonly Count[] = [],
): Promise<void> => {
  const sums = mergeCounts([...counts, ...(await insertActive(tx, active))], add)
  const peaks = mergeCounts(highest, Math.max)
  const days = [...new Set([...sums, ...peaks].map(({ day }) => day))]
  if (days.length === 0) return
  const known = await store.listKeys(tx, days)
  await store.writeCounts(tx, mergeCounts(limitKeys(sums, known), add), 'add')
  await store.writeCounts(tx, mergeCounts(limitKeys(peaks, known), Math.max), 'highest')
}
