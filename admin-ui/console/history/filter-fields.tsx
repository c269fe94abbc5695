import { useId, useState } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import type { List } from '../shared/use-list.ts'
import '../styles/history.css'

type Labels = readonly (readonly [name: string, label: string, isTime?: boolean])[]

/** A filter of typed text. The list follows once it is whole: at Enter, or when the field is left. */
export const FilterField = <Row,>({
  list,
  name,
  label,
  isTime = false,
  hint,
  options = [],
}: {
  readonly list: List<Row>
  readonly name: string
  readonly label: string
  readonly isTime?: boolean
  readonly hint?: string
  readonly options?: readonly string[]
}) => {
  const id = useId()
  const given = list.query[name] ?? ''
  const apply = (value: string) => {
    if (value.trim() !== given) list.set({ [name]: value.trim() })
  }
  return (
    <label className={given === '' ? 'filter' : 'filter filter-set'}>
      <span className="filter-name">{label}</span>
      <input
        // Another value from outside, such as from the browser's back, is shown.
        key={given}
        className="filter-input"
        type={isTime ? 'date' : 'text'}
        defaultValue={isTime ? given.slice(0, 10) : given}
        placeholder={hint}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        list={options.length === 0 ? undefined : id}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && apply(currentTarget.value)}
        onBlur={({ currentTarget }) => apply(currentTarget.value)}
      />
      {options.length === 0 ? null : (
        <datalist id={id}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </label>
  )
}

/** Filters that are seldom needed, behind a button; open where one of them is set. */
export const MoreFilters = <Row,>({ list, fields }: { readonly list: List<Row>; readonly fields: Labels }) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(() => fields.some(([name]) => list.query[name] !== undefined))
  return (
    <>
      {isOpen
        ? fields.map(([name, label, isTime]) => (
            <FilterField key={name} list={list} name={name} label={label} isTime={isTime === true} />
          ))
        : null}
      <Button kind="secondary" onClick={() => setIsOpen(!isOpen)}>
        {t(isOpen ? 'history.fewer' : 'history.more')}
      </Button>
    </>
  )
}
