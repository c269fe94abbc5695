import { useRef, useState } from 'react'
import type { List } from './use-list.ts'

/** The rows that are selected for an action. */
export interface Chosen<Row> {
  readonly rows: ReadonlyMap<string, Row>
  /** True if all rows of the displayed page are selected. */
  readonly isAll: boolean
  /** Selects or deselects a row. With `isRange` this is done to all rows between the previously toggled row and this row. */
  readonly toggle: (id: string, isRange?: boolean) => void
  readonly toggleAll: () => void
  readonly clear: () => void
}

/**
 * The selected rows of a list. They stay selected when another page is shown. Another search or filter clears the selection, so that an
 * action never affects a row that the person cannot see.
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
    // While a page with other filters is loading, the displayed rows still belong to the former filters.
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
