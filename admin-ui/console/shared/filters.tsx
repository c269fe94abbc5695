import { useEffect, useRef, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import type { List } from './use-list.ts'

/** Delay between the last keystroke and the request, in milliseconds. */
const settledMs = 200

interface SearchBoxProps<Row> {
  readonly list: List<Row>
  /** The name of the filter that the search text is stored in. */
  readonly name?: string
  readonly label: string
}

/** A field that searches while the person types. The key `/` moves the focus into it. */
export const SearchBox = <Row,>({ list, name = 'search', label }: SearchBoxProps<Row>) => {
  const given = list.query[name] ?? ''
  const [text, setText] = useState(given)
  const input = useRef<HTMLInputElement>(null)
  const sent = useRef(given)
  useEffect(() => {
    if (given === sent.current) return
    sent.current = given
    setText(given)
  }, [given])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the text changes.
  useEffect(() => {
    if (text.trim() === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text.trim()
      list.set({ [name]: text.trim() })
    }, settledMs)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, dialog') !== null
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  return (
    <div className="search">
      <Icon name="search" size={16} />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
    </div>
  )
}

interface FilterSelectProps<Row> {
  readonly list: List<Row>
  readonly name: string
  readonly label: string
  /** Options with the same `group` are listed together, below the name of the group. */
  readonly options: readonly (readonly [value: string, text: string, group?: string])[]
}

/** A filter that selects one value, or shows all. */
export const FilterSelect = <Row,>({ list, name, label, options }: FilterSelectProps<Row>) => {
  const { t } = useI18n()
  const value = list.query[name] ?? ''
  return (
    <label className={value === '' ? 'filter' : 'filter filter-set'}>
      <span className="filter-name">{label}</span>
      <select value={value} onChange={({ currentTarget }) => list.set({ [name]: currentTarget.value })}>
        <option value="">{t('console.table.all')}</option>
        {[...new Set(options.map(([, , group]) => group))].map((group) => {
          const shown = options
            .filter(([, , other]) => other === group)
            .map(([option, text]) => (
              <option key={option} value={option}>
                {text}
              </option>
            ))
          return group === undefined ? (
            shown
          ) : (
            <optgroup key={group} label={group}>
              {shown}
            </optgroup>
          )
        })}
      </select>
      <Icon name="down" size={14} />
    </label>
  )
}
