import { useId } from 'react'
import type { List } from './use-list.ts'

/** A text filter. The list changes at Enter, or when the field is left. */
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
        // A changed key makes a new input, which shows a value from outside, for example from the browser's back button.
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
