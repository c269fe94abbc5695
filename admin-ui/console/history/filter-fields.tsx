import { useState } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { FilterField } from '../shared/filter-field.tsx'
import type { List } from '../shared/use-list.ts'

type Labels = readonly (readonly [name: string, label: string, isTime?: boolean])[]

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
