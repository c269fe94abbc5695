import { useRef, useState } from 'react'
import type { List } from './use-list.ts'

/** The rows that are chosen for an action. */
export interface Chosen<Row> {
  readonly rows: ReadonlyMap<string, Row>
  /** True if all rows of the displayed page are chosen. */
  readonly isAll: boolean
  /** Toggles a row. With `isRange` it toggles all rows from the previously toggled one to this one. */
  readonly toggle: (id: string, isRange?: boolean) => void
  readonly toggleAll: () => void
  readonly clear: () => void
}

/**
 * The chosen rows of a list. They stay chosen on other pages. Another search or filter clears them, so that an action never affects a row
 * that is out of sight.
 */
export const useChosen = <Row>(list: List<Row>, visible: readonly Row[], idOf: (row: Row) => string): Chosen<Row> => {
  const filters = JSON.stringify(list.filters.map((name) => list.query[name]))
  const [state, setState] = useState<{ readonly filters: string; readonly rows: ReadonlyMap<string, Row> }>()
  const last = useRef<string>(undefined)
  const shown = new Map(visible.map((row) => [idOf(row), row]))
  const before = state?.filters === filters ? [...state.rows] : []
  const rows = new Map(before.map(([id, row]) => [id, shown.get(id) ?? row]))
  const isAll = shown.size > 0 && [...shown.keys()].every((id) => rows.has(id))
  const set = (ids: readonly string[], isChosen: boolean) => {
    // While another page loads, the displayed rows still belong to the former filters.
    if (list.isStale) return
    const next = new Map(rows)
    for (const id of ids) {
      const row = shown.get(id)
      if (!isChosen) next.delete(id)
      else if (row !== undefined) next.set(id, row)
    }
    setState({ filters, rows: next })
  }
  return {
    rows,
    isAll,
    toggle: (id, isRange = false) => {
      const ids = [...shown.keys()]
      const from = isRange && last.current !== undefined ? ids.indexOf(last.current) : -1
      const [first = 0, end = 0] = [from < 0 ? ids.indexOf(id) : from, ids.indexOf(id)].sort((a, b) => a - b)
      last.current = id
      set(ids.slice(first, end + 1), !rows.has(id))
    },
    toggleAll: () => set([...shown.keys()], !isAll),
    clear: () => setState(undefined),
  }
}
