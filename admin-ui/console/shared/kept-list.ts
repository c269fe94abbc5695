import { useSyncExternalStore } from 'react'
import { keep, kept, onKept } from '../kept.ts'
import type { List } from './use-list.ts'

/** A saved view of a list: its filters, sort order and hidden columns, under a name. */
export interface SavedView {
  readonly name: string
  readonly query: Readonly<Record<string, string>>
  readonly hidden: readonly string[]
}

interface KeptList {
  readonly hidden: readonly string[]
  readonly views: readonly SavedView[]
}

const isText = (value: unknown): value is string => typeof value === 'string'
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter(isText) : [])

/** Parses what the browser has stored for a list. Another version of the console may have stored it, so invalid values are dropped. */
const parse = (text: string | null): KeptList => {
  try {
    const { hidden, views } = JSON.parse(text ?? '{}')
    return {
      hidden: texts(hidden),
      views: (Array.isArray(views) ? views : []).flatMap((view): SavedView[] =>
        isText(view?.name) ? [{ name: view.name, query: onlyTexts(view.query), hidden: texts(view.hidden) }] : [],
      ),
    }
  } catch {
    return { hidden: [], views: [] }
  }
}

const onlyTexts = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(value ?? {}).filter((entry): entry is [string, string] => isText(entry[1])))

/** The query parameters of the address that a view saves. The page within the list and the open preview are not saved. */
const viewKeys = (list: Pick<List<never>, 'filters'>) => [...list.filters, 'sort', 'order']

export const sameView = (a: Omit<SavedView, 'name'>, b: Omit<SavedView, 'name'>): boolean => {
  const text = ({ query, hidden }: Omit<SavedView, 'name'>) => JSON.stringify([Object.entries(query).sort(), [...hidden].sort()])
  return text(a) === text(b)
}

/** The hidden columns and saved views of a list, which this browser stores. */
export const useKeptList = (list: Pick<List<never>, 'target' | 'filters' | 'query' | 'set'>) => {
  const name = `gatehouse.console.list ${list.target.path}`
  const { hidden, views } = parse(useSyncExternalStore(onKept, () => kept(name)))
  const change = (next: Partial<KeptList>) => keep(name, JSON.stringify({ ...parse(kept(name)), ...next }))
  const query = onlyTexts(Object.fromEntries(viewKeys(list).map((key) => [key, list.query[key]])))
  return {
    hidden,
    views,
    /** The filters, sort order and hidden columns that the list has now. */
    now: { query, hidden },
    hide: (columns: readonly string[]) => change({ hidden: columns }),
    setViews: (next: readonly SavedView[]) => change({ views: next }),
    apply: (view: Omit<SavedView, 'name'>) => {
      change({ hidden: view.hidden })
      list.set(Object.fromEntries(viewKeys(list).map((key) => [key, view.query[key]])))
    },
  }
}

export type KeptViews = ReturnType<typeof useKeptList>
