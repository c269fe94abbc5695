import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Failure } from './failure.tsx'
import { useKeptList } from './kept-list.ts'
import { Peek } from './peek.tsx'
import { ShowCall } from './show-call.tsx'
import type { LoadBulk } from './table-bar.tsx'
import { TableBar } from './table-bar.tsx'
import { TableEmpty } from './table-empty.tsx'
import type { Chosen } from './use-chosen.ts'
import { useChosen } from './use-chosen.ts'
import { useFreshRows } from './use-fresh-rows.ts'
import { type List, useCountOf } from './use-list.ts'
import { useRowKeys } from './use-row-keys.ts'

export interface Column<Row> {
  readonly id: string
  readonly label: string
  readonly cell: (row: Row) => ReactNode
  /** The value of `sort` with which the endpoint sorts by this column. Absent if it cannot. */
  readonly sort?: string
  /** True if the column is hidden on narrow screens. */
  readonly isMinor?: boolean
}

interface DataTableProps<Row> {
  readonly label: string
  readonly list: List<Row>
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => string
  /** Returns the name of a row, for screen readers. */
  readonly nameOf: (row: Row) => string
  /** Returns the address of the screen that shows the row. */
  readonly hrefOf?: (row: Row) => string
  /** Renders a preview of the row beside the table. */
  readonly peek?: (row: Row) => ReactNode
  /** Loads the code of the actions on several rows. If it is given, rows have checkboxes. */
  readonly bulk?: LoadBulk<Row>
  /** Shown in place of the table if the list is empty although no filter is set. */
  readonly empty: ReactNode
  /** The arguments of the command that lists the same rows. */
  readonly command?: readonly string[]
}

const skeletonRows = 8

const Skeleton = ({ columns }: { readonly columns: number }) =>
  Array.from({ length: skeletonRows }, (_, row) => `row ${row}`).map((key) => (
    <tr key={key}>
      {Array.from({ length: columns }, (_, column) => `cell ${column}`).map((cell) => (
        <td key={cell}>
          <span className="placeholder bone-line" />
        </td>
      ))}
    </tr>
  ))

/** The checkbox that selects all rows of the page. */
const ChooseAll = <Row,>({ chosen, ids }: { readonly chosen: Chosen<Row>; readonly ids: readonly string[] }) => {
  const { t } = useI18n()
  const isSome = !chosen.isAll && ids.some((id) => chosen.rows.has(id))
  return (
    <th scope="col" className="cell-choose">
      <label>
        <input
          ref={(box) => {
            if (box !== null) box.indeterminate = isSome
          }}
          type="checkbox"
          checked={chosen.isAll}
          onChange={chosen.toggleAll}
        />
        <span className="choose-all">{t('console.table.chooseAll')}</span>
      </label>
    </th>
  )
}

const Heads = <Row,>({ columns, list }: Pick<DataTableProps<Row>, 'columns' | 'list'>) => {
  const { t } = useI18n()
  const { sort, order } = list.query
  return columns.map(({ id, label, sort: by, isMinor }) => {
    const isSorted = by !== undefined && sort === by
    const isUp = isSorted && order === 'asc'
    return (
      <th
        key={id}
        scope="col"
        className={isMinor ? 'cell-minor' : undefined}
        aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : undefined}
      >
        {by === undefined ? (
          label
        ) : (
          <button
            type="button"
            className="sort"
            title={t('console.table.sorted', { column: label })}
            onClick={() => list.set({ sort: by, order: isSorted && !isUp ? 'asc' : 'desc' })}
          >
            {label}
            <Icon name={isSorted ? (isUp ? 'up' : 'down') : 'sort'} size={14} />
          </button>
        )}
      </th>
    )
  })
}

/** A text with the number of displayed rows and the number of all rows. */
const useShown = <Row,>({ rows, total, isFirst, toNext }: List<Row>) => {
  const { t } = useI18n()
  const countOf = useCountOf()
  return (count: number): string => {
    if (rows === undefined) return t('console.table.loading')
    if (total === undefined || (isFirst && toNext === undefined)) return t('console.table.count', { count })
    return countOf(count, total)
  }
}

/**
 * Shows a list of the API as a table. The server sorts, filters and pages the list. The keyboard moves between rows, and a preview opens
 * at the side.
 */
export const DataTable = <Row,>(props: DataTableProps<Row>) => {
  const { label, list, columns: allColumns, idOf, nameOf, hrefOf, peek, bulk, empty, command } = props
  const { t } = useI18n()
  const navigate = useNavigate()
  const area = useRef<HTMLDivElement>(null)
  const box = useRef<HTMLElement>(null)
  const [isViewing, setIsViewing] = useState(false)
  const views = useKeptList(list)
  const fresh = useFreshRows(list, idOf)
  const shownOf = useShown(list)
  const rows = fresh.rows ?? []
  const chosen = useChosen(list, rows, idOf)
  // The first column identifies the row, so the person cannot hide it.
  const columns = allColumns.filter(({ id }, index) => index === 0 || !views.hidden.includes(id))
  const peeked = rows.find((row) => idOf(row) === list.peeked)
  const open = (id: string) => {
    const row = rows.find((one) => idOf(one) === id)
    if (peek !== undefined && list.peeked !== id) list.set({ peek: id })
    else if (hrefOf !== undefined && row !== undefined) void navigate(hrefOf(row))
  }
  const { active, setActive } = useRowKeys({
    ids: rows.map(idOf),
    onOpen: open,
    onMove: (id) => list.peeked !== null && list.set({ peek: id }),
    onClose: () => (list.peeked === null ? chosen.clear() : list.set({ peek: undefined })),
    keys: {
      v: () => setIsViewing(true),
      ...(bulk === undefined
        ? {}
        : {
            x: (id) => id !== undefined && chosen.toggle(id),
            a: () => area.current?.querySelector<HTMLElement>('.table-bar button')?.focus(),
          }),
    },
  })
  const showFresh = () => {
    list.release()
    // The pressed button has disappeared, so the changed list takes the focus.
    box.current?.focus({ preventScroll: true })
  }
  useEffect(() => {
    area.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' })
  })
  if (list.error !== null && list.rows === undefined) return <Failure error={list.error} onRetry={list.retry} />
  const isEmpty = fresh.rows?.length === 0
  if (isEmpty && list.isFirst && !list.isFiltered && list.toNext === undefined) return empty
  const shown = shownOf(rows.length)
  return (
    <div ref={area} className={peeked === undefined ? 'table-area' : 'table-area table-peeked'}>
      <div className="table-fresh" role="status">
        {fresh.count === 0 ? null : (
          <button type="button" className="fresh" onClick={showFresh}>
            {t('console.table.fresh', { count: fresh.count })}
          </button>
        )}
      </div>
      <div className="table-box">
        <TableBar
          count={chosen.rows.size === 0 ? shown : t('console.table.chosen', { count: chosen.rows.size })}
          load={bulk}
          bulk={{ rows: [...chosen.rows.values()], idOf, nameOf, hrefOf, onClear: chosen.clear }}
          views={views}
          columns={allColumns}
          isOpen={isViewing}
          setIsOpen={setIsViewing}
        />
        {isEmpty ? (
          <TableEmpty list={list} empty={empty} />
        ) : (
          /* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element has to be reachable by keys. */
          <section ref={box} className="table-scroll" aria-label={label} tabIndex={0}>
            <table className={list.isStale ? 'table table-stale' : 'table'} aria-busy={list.rows === undefined || list.isStale}>
              <thead>
                <tr>
                  {bulk === undefined ? null : <ChooseAll chosen={chosen} ids={rows.map(idOf)} />}
                  <Heads columns={columns} list={list} />
                </tr>
              </thead>
              <tbody>
                {list.rows === undefined ? <Skeleton columns={columns.length + (bulk === undefined ? 0 : 1)} /> : null}
                {rows.map((row) => (
                  <tr
                    key={idOf(row)}
                    data-row={idOf(row)}
                    data-active={idOf(row) === active || undefined}
                    aria-selected={row === peeked}
                    className={row === peeked ? 'row-peeked' : undefined}
                    onFocus={() => setActive(idOf(row))}
                    onClick={({ target }) => {
                      if (target instanceof Element && target.closest('a, button, .cell-choose')) return
                      setActive(idOf(row))
                      open(idOf(row))
                    }}
                  >
                    {bulk === undefined ? null : (
                      <td className="cell-choose">
                        <label>
                          <input
                            type="checkbox"
                            aria-label={t('console.table.choose', { name: nameOf(row) })}
                            checked={chosen.rows.has(idOf(row))}
                            onChange={({ nativeEvent }) =>
                              chosen.toggle(idOf(row), nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
                            }
                          />
                        </label>
                      </td>
                    )}
                    {columns.map(({ id, label: name, cell, isMinor }, index) => (
                      <td key={id} data-label={index === 0 ? undefined : name} className={isMinor ? 'cell-minor' : undefined}>
                        {cell(row)}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
        <div className="table-foot">
          <span className="table-keys">{t(bulk === undefined ? 'console.table.keys' : 'console.table.keysChoose')}</span>
          <ShowCall
            target={list.target}
            input={{ params: list.params, query: list.query }}
            isQuery
            {...(command ? { command } : {})}
          />
          {isEmpty ? null : (
            <span className="table-turn">
              <Button kind="secondary" blocked={list.isFirst} onClick={list.toPrevious}>
                {t('console.table.previous')}
              </Button>
              <Button kind="secondary" blocked={list.toNext === undefined} onClick={() => list.toNext?.()}>
                {t('console.table.next')}
              </Button>
            </span>
          )}
        </div>
      </div>
      {peek === undefined || peeked === undefined ? null : (
        <Peek title={nameOf(peeked)} href={hrefOf?.(peeked)} onClose={() => list.set({ peek: undefined })}>
          {peek(peeked)}
        </Peek>
      )}
    </div>
  )
}
