import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Empty } from './empty.tsx'
import { Failure } from './failure.tsx'
import { Peek } from './peek.tsx'
import { ShowCall } from './show-call.tsx'
import { useFreshRows } from './use-fresh-rows.ts'
import type { List } from './use-list.ts'
import { useRowKeys } from './use-row-keys.ts'

export interface Column<Row> {
  readonly id: string
  readonly label: string
  readonly cell: (row: Row) => ReactNode
  /** The name by which the endpoint sorts by it. */
  readonly sort?: string
  /** Left out on narrow screens. */
  readonly isMinor?: boolean
}

interface DataTableProps<Row> {
  readonly label: string
  readonly list: List<Row>
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => string
  /** The name of the row, for people who hear it. */
  readonly nameOf: (row: Row) => string
  /** The address of the row's own screen. */
  readonly hrefOf?: (row: Row) => string
  /** What is shown at the side, before the row is opened. */
  readonly peek?: (row: Row) => ReactNode
  /** When there is nothing yet, and no filter is set. */
  readonly empty: ReactNode
  /** Words of the command that lists the same. */
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

const Head = <Row,>({ columns, list }: Pick<DataTableProps<Row>, 'columns' | 'list'>) => {
  const { t } = useI18n()
  const { sort, order } = list.query
  return (
    <tr>
      {columns.map(({ id, label, sort: by, isMinor }) => {
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
      })}
    </tr>
  )
}

/** A list of the API as a table: sorted, filtered and turned by the server, with keys to go through it and a preview at the side. */
export const DataTable = <Row,>(props: DataTableProps<Row>) => {
  const { label, list, columns, idOf, nameOf, hrefOf, peek, empty, command } = props
  const { t } = useI18n()
  const navigate = useNavigate()
  const body = useRef<HTMLTableSectionElement>(null)
  const box = useRef<HTMLElement>(null)
  const fresh = useFreshRows(list, idOf)
  const rows = fresh.rows ?? []
  const peeked = rows.find((row) => idOf(row) === list.peeked)
  const open = (row: Row) => {
    if (peek !== undefined && list.peeked !== idOf(row)) list.set({ peek: idOf(row) })
    else if (hrefOf !== undefined) void navigate(hrefOf(row))
  }
  const { active, setActive } = useRowKeys({
    count: rows.length,
    onOpen: (index) => rows[index] !== undefined && open(rows[index]),
    onMove: (index) => {
      if (list.peeked !== null && rows[index] !== undefined) list.set({ peek: idOf(rows[index]) })
    },
    onClose: () => list.set({ peek: undefined }),
  })
  const showFresh = () => {
    list.release()
    // The button is gone: what it has changed has the focus.
    box.current?.focus({ preventScroll: true })
  }
  useEffect(() => {
    body.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' })
  })
  if (list.error !== null && list.rows === undefined) return <Failure error={list.error} onRetry={list.retry} />
  if (fresh.rows?.length === 0 && list.isFirst)
    return list.isFiltered ? (
      <Empty icon="search" title={t('console.table.none')} text={t('console.table.noneText')}>
        <Button kind="secondary" onClick={() => list.set(Object.fromEntries(list.filters.map((name) => [name, undefined])))}>
          {t('console.table.clear')}
        </Button>
      </Empty>
    ) : (
      empty
    )
  return (
    <div className={peeked === undefined ? 'table-area' : 'table-area table-peeked'}>
      <div className="table-fresh" role="status">
        {fresh.count === 0 ? null : (
          <button type="button" className="fresh" onClick={showFresh}>
            {t('console.table.fresh', { count: fresh.count })}
          </button>
        )}
      </div>
      <div className="table-box">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keys. */}
        <section ref={box} className="table-scroll" aria-label={label} tabIndex={0}>
          <table className={list.isStale ? 'table table-stale' : 'table'} aria-busy={list.rows === undefined || list.isStale}>
            <thead>
              <Head columns={columns} list={list} />
            </thead>
            <tbody ref={body}>
              {list.rows === undefined ? <Skeleton columns={columns.length} /> : null}
              {rows.map((row, index) => (
                <tr
                  key={idOf(row)}
                  data-active={index === active || undefined}
                  aria-selected={row === peeked}
                  className={row === peeked ? 'row-peeked' : undefined}
                  onClick={({ target }) => {
                    if (target instanceof Element && target.closest('a, button, input')) return
                    setActive(index)
                    open(row)
                  }}
                >
                  {columns.map(({ id, label: name, cell, isMinor }) => (
                    <td key={id} data-label={name} className={isMinor ? 'cell-minor' : undefined}>
                      {cell(row)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <div className="table-foot">
          <span role="status" className="table-count">
            {list.rows === undefined ? t('console.table.loading') : t('console.table.count', { count: rows.length })}
          </span>
          <span className="table-keys">{t('console.table.keys')}</span>
          <ShowCall
            target={list.target}
            input={{ params: list.params, query: list.query }}
            isQuery
            {...(command ? { command } : {})}
          />
          <span className="table-turn">
            <Button kind="secondary" blocked={list.isFirst} onClick={list.toPrevious}>
              {t('console.table.previous')}
            </Button>
            <Button kind="secondary" blocked={list.toNext === undefined} onClick={() => list.toNext?.()}>
              {t('console.table.next')}
            </Button>
          </span>
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
