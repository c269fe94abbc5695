import { useId } from 'react'
import type { List } from './use-list.ts'

/** A filter that takes free text. It is applied when the person presses Enter or leaves the field. */
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
        // If the filter changes from outside, for example by the browser's back button, this key changes. React then makes a new input
        // that shows the filter's value.
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
