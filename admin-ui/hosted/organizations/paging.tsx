import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import type { LoadState } from '../../shared/loading.tsx'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'

/** How many rows a page has. */
const pageSize = 20

interface PagerProps {
  readonly offset: number
  readonly shown: number
  readonly hasMore: boolean
  /** The number of all rows. If it is known, the text is "1–20 of 43". Otherwise it is "1–20". */
  readonly total?: number
  readonly onGo: (offset: number) => void
}

/** Buttons that show the previous and the next rows. Renders nothing if all rows fit on one page. */
const Pager = ({ offset, shown, hasMore, total, onGo }: PagerProps) => {
  const { t } = useI18n()
  if (offset === 0 && !hasMore) return null
  const range = { from: offset + 1, to: offset + shown }
  return (
    <div className="rows-foot pager">
      <span className="quiet">{total === undefined ? t('pager.range', range) : t('pager.rangeOf', { ...range, total })}</span>
      <span className="row-actions">
        <Button kind="secondary" blocked={offset === 0} onClick={() => onGo(Math.max(0, offset - pageSize))}>
          {t('pager.back')}
        </Button>
        <Button kind="secondary" blocked={!hasMore} onClick={() => onGo(offset + pageSize)}>
          {t('pager.next')}
        </Button>
      </span>
    </div>
  )
}

interface Rows<Row> {
  readonly rows: readonly Row[]
  /** The number of all rows. Absent if the endpoint does not return it; whether more rows follow is then known from one extra row. */
  readonly total?: number
}

interface Page<Row> extends LoadState<Rows<Row>> {
  readonly offset: number
  readonly onGo: (offset: number) => void
}

/**
 * The rows of one page of a list. If `search` changes, the first page is shown. `load` has to request one row more than a page has, which
 * shows whether another page follows.
 */
export const usePage = <Row,>(
  load: (query: { readonly limit: number; readonly offset: number }) => Promise<Rows<Row>>,
  search = '',
): Page<Row> => {
  const [at, setAt] = useState({ search, offset: 0 })
  const offset = at.search === search ? at.offset : 0
  const rows = useLoader(() => load({ limit: pageSize + 1, offset }), `${offset} ${search}`)
  const isGone = rows.value?.rows.length === 0 && offset > 0
  useEffect(() => {
    if (isGone) setAt({ search, offset: Math.max(0, offset - pageSize) })
  }, [isGone, search, offset])
  return { ...rows, offset, onGo: (next) => setAt({ search, offset: next }) }
}

interface PagedRowsProps<Row> {
  readonly of: Page<Row>
  readonly room: number
  readonly empty: ReactNode
  readonly row: (row: Row) => ReactNode
  /** True if each row links to a page of its own. */
  readonly isLinked?: boolean
  /** Shown below the rows. */
  readonly foot?: ReactNode
}

/** The rows of a page, with buttons for the previous and the next page. */
export const PagedRows = <Row extends { readonly id: string }>({
  of,
  room,
  empty,
  row,
  isLinked = false,
  foot,
}: PagedRowsProps<Row>) => (
  <Loaded of={of} rows={room}>
    {({ rows, total }) => {
      if (rows.length === 0) return empty
      const shown = Math.min(rows.length, pageSize)
      return (
        <>
          <ul className="rows">
            {rows.slice(0, pageSize).map((one) => (
              <li key={one.id} className={isLinked ? 'row row-linked' : 'row'}>
                {row(one)}
              </li>
            ))}
          </ul>
          {foot}
          <Pager
            offset={of.offset}
            shown={shown}
            hasMore={total === undefined ? rows.length > pageSize : of.offset + shown < total}
            onGo={of.onGo}
            {...(total === undefined ? {} : { total })}
          />
        </>
      )
    }}
  </Loaded>
)

/** Delay between the last keystroke and the search, in milliseconds. */
const typingMs = 250

interface SearchProps {
  readonly label: string
  readonly onSearch: (text: string) => void
}

export const Search = ({ label, onSearch }: SearchProps) => {
  const [typed, setTyped] = useState('')
  const said = useRef('')
  // biome-ignore lint/correctness/useExhaustiveDependencies: restarts only with each letter.
  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed.trim() !== said.current) onSearch(typed.trim())
      said.current = typed.trim()
    }, typingMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <div className="field search">
      <div className="field-box">
        <Icon name="search" size={18} />
        <input
          type="search"
          aria-label={label}
          placeholder={label}
          autoComplete="off"
          maxLength={200}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </div>
    </div>
  )
}

/** A text for screen readers with the number of search results, read out after a search. */
export const Announcement = ({ children }: { readonly children: ReactNode }) => (
  <p className="visually-hidden" role="status">
    {children}
  </p>
)
