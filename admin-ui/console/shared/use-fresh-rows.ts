import { useEffect } from 'react'
import type { List } from './use-list.ts'

/**
 * The rows to show after a refresh. Changed rows are updated where they are. New rows would push other rows away, so only their number is
 * shown until the person asks for them.
 */
export const useFreshRows = <Row>({ rows, latest, release }: List<Row>, idOf: (row: Row) => string) => {
  const known = new Set(rows?.map(idOf))
  const count = latest?.filter((row) => !known.has(idOf(row))).length ?? 0
  const isInPlace = latest !== undefined && (count === 0 || known.size === 0)
  useEffect(() => {
    if (isInPlace) release()
  }, [isInPlace, release])
  if (latest === undefined || isInPlace) return { rows: latest ?? rows, count: 0 }
  const byId = new Map(latest.map((row) => [idOf(row), row]))
  return { rows: rows?.map((row) => byId.get(idOf(row)) ?? row), count }
}
