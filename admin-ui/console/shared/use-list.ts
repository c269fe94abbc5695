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
  /** The field of the answer that contains the rows. */
  readonly rows: R
  readonly params?: Readonly<Record<string, string>>
  /** Names of the filters, in the endpoint's query and in the address. */
  readonly filters: readonly string[]
  /** True if the endpoint returns the number of rows (`counted`). */
  readonly isCounted?: boolean
}

/** The number of rows of a list. If it is not exact, the list has about this number of rows, or more. */
export interface Total {
  readonly count: number
  readonly isExact: boolean
}

/** Returns a text such as "50 of 200", for the displayed rows and all rows. */
export const useCountOf = () => {
  const { t, number } = useI18n()
  return (count: number, total: Total): string => {
    const of = total.isExact ? 'exact' : total.count > 10_000 ? 'about' : 'more'
    return t(`console.table.of.${of}`, { count: number(count), total: number(total.count) })
  }
}

/** A page of a list for a table. */
export interface List<Row> {
  readonly rows: readonly Row[] | undefined
  /** The newest rows. Undefined if `rows` are the newest already. */
  readonly latest: readonly Row[] | undefined
  /** Shows the newest rows. */
  readonly release: () => void
  /** The number of all rows, if counted. */
  readonly total: Total | undefined
  readonly error: unknown
  /** True while another page or filter is loading and the former rows are still shown. */
  readonly isStale: boolean
  readonly retry: () => void
  readonly target: Target
  readonly query: Readonly<Record<string, string | undefined>>
  readonly params: Readonly<Record<string, string>>
  readonly filters: readonly string[]
  /** True if a search or filter is set. */
  readonly isFiltered: boolean
  /** Sets filters, sort or preview; empty values are removed. Shows the first page, unless only the preview changes. */
  readonly set: (values: Readonly<Record<string, string | undefined>>) => void
  readonly peeked: string | null
  readonly isFirst: boolean
  readonly toNext: (() => void) | undefined
  readonly toPrevious: () => void
}

const own = ['sort', 'order', 'after'] as const

/** For filters whose results the server returns in one order only. Setting such a filter removes the order of the list. */
export const unsorted = <Row>(list: List<Row>): List<Row> => ({
  ...list,
  set: (values) => list.set({ sort: undefined, order: undefined, ...values }),
})

/** A page of a list of the API. Filters, order and place are in the address, so that it can be shared and the browser's back button works. */
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
      // The person opened the address of this page directly, so there is no previous page in the history. The first page replaces it.
      if (history.state?.usr?.isFromPage === true) void navigate(-1)
      else set({})
    },
  }
}
