import { hashKey, useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { Target } from '../../../src/http/client.ts'
import type { Contract, WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { release, useHeld } from './live.ts'

type ListAnswer<C extends Contract, K extends keyof C> = Answer<WireApi<C>[K]>
type RowOf<A, R extends keyof A> = A[R] extends readonly (infer Row)[] ? Row : never

interface ListOptions<C extends Contract, K extends keyof C & string, R extends keyof ListAnswer<C, K> & string> {
  readonly contract: C
  readonly name: K
  /** The name of the field in the response body that contains the rows. */
  readonly rows: R
  readonly params?: Readonly<Record<string, string>>
  /** Names of the filters. The endpoint's query and the address of the screen use the same names. */
  readonly filters: readonly string[]
  /** True if the endpoint can return the number of all rows (`counted`). */
  readonly isCounted?: boolean
}

/** The number of rows of a list. If `isExact` is false, the list has about `count` rows or more. */
export interface Total {
  readonly count: number
  readonly isExact: boolean
}

/** Returns a function for a text such as "50 of 200": the number of displayed rows and of all rows. */
export const useCountOf = () => {
  const { t, number } = useI18n()
  return (count: number, total: Total): string => {
    const of = total.isExact ? 'exact' : total.count > 10_000 ? 'about' : 'more'
    return t(`console.table.of.${of}`, { count: number(count), total: number(total.count) })
  }
}

/** One page of a list, for a table. */
export interface List<Row> {
  readonly rows: readonly Row[] | undefined
  /** The newest rows, if the table still shows older rows. Undefined if `rows` are the newest. */
  readonly latest: readonly Row[] | undefined
  /** Makes `rows` the newest rows. */
  readonly release: () => void
  /** The number of all rows. Undefined if it was not counted. */
  readonly total: Total | undefined
  readonly error: unknown
  /** True while the next rows are loading and the table still shows the former ones. */
  readonly isStale: boolean
  readonly retry: () => void
  readonly target: Target
  readonly query: Readonly<Record<string, string | undefined>>
  readonly params: Readonly<Record<string, string>>
  readonly filters: readonly string[]
  /** True if a search or filter is set. */
  readonly isFiltered: boolean
  /**
   * Sets filters, sort order or preview in the address. Empty values are removed. Goes back to the first page, unless only the preview
   * changes.
   */
  readonly set: (values: Readonly<Record<string, string | undefined>>) => void
  readonly peeked: string | null
  readonly isFirst: boolean
  readonly toNext: (() => void) | undefined
  readonly toPrevious: () => void
}

const own = ['sort', 'order', 'after'] as const

/** A list whose changes of filters also remove the sort order. It is used for filters whose results the server returns in only one order. */
export const unsorted = <Row>(list: List<Row>): List<Row> => ({
  ...list,
  set: (values) => list.set({ sort: undefined, order: undefined, ...values }),
})

/**
 * One page of a list of the API. Filters, sort order and page are in the address, so that the address can be shared and the browser's
 * back button works.
 */
export const useList = <C extends Contract, K extends keyof C & string, R extends keyof ListAnswer<C, K> & string>({
  contract,
  name,
  rows,
  params = {},
  filters,
  isCounted = false,
}: ListOptions<C, K, R>): List<RowOf<ListAnswer<C, K>, R>> => {
  const { api } = useConsole()
  const navigate = useNavigate()
  const [address, setAddress] = useSearchParams()
  const query = Object.fromEntries([...filters, ...own].map((key) => [key, address.get(key) ?? undefined]))
  const input = { params, query: isCounted ? { ...query, total: 'true' } : query }
  const asked = api.query(contract, name, input)
  const { data, error, isPlaceholderData, refetch } = useQuery({ ...asked, placeholderData: (before) => before })
  const answer = data as
    | (Readonly<Record<string, unknown>> & { readonly next: string | null; readonly total?: Total | null })
    | undefined
  const hash = hashKey(asked.queryKey)
  const held = useHeld(hash) as typeof answer
  const rowsOf = (of: typeof answer) => of?.[rows] as readonly RowOf<ListAnswer<C, K>, R>[] | undefined
  const set: List<unknown>['set'] = (values) => {
    const isPreview = Object.keys(values).every((key) => key === 'peek')
    setAddress(
      (before) => {
        const next = new URLSearchParams(before)
        if (!isPreview) for (const key of ['after', 'peek']) next.delete(key)
        for (const [key, value] of Object.entries(values)) {
          if (value === undefined || value === '') next.delete(key)
          else next.set(key, value)
        }
        return next
      },
      { replace: true },
    )
  }
  const next = answer?.next ?? null
  const after = address.get('after')
  return {
    rows: rowsOf(held ?? answer),
    latest: held === undefined || held === answer ? undefined : rowsOf(answer),
    release: useCallback(() => release(hash), [hash]),
    total: (held ?? answer)?.total ?? undefined,
    error: data === undefined ? error : null,
    isStale: isPlaceholderData,
    retry: () => void refetch(),
    target: contract[name] as Target,
    query,
    params,
    filters,
    isFiltered: filters.some((key) => query[key] !== undefined),
    set,
    peeked: address.get('peek'),
    isFirst: after === null,
    toNext:
      next === null
        ? undefined
        : () => {
            const place = new URLSearchParams(address)
            place.set('after', next)
            place.delete('peek')
            void navigate(`?${place}`, { state: { isFromPage: true } })
          },
    toPrevious: () => {
      // The person opened this page by its address, so the previous page is not in the browser's history. The first page of the list
      // replaces it.
      if (history.state?.usr?.isFromPage === true) void navigate(-1)
      else set({})
    },
  }
}
