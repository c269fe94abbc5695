import { useState } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { FilterField } from '../shared/filter-field.tsx'
import type { NameKinds } from '../shared/filter-name.tsx'
import { FilterName } from '../shared/filter-name.tsx'
import type { List } from '../shared/use-list.ts'

/**
 * The filters in their order. If `kind` is true, the filter takes a day. If `kind` is an object, the filter searches names of things of
 * these kinds.
 */
type Labels<Row> = readonly (readonly [name: string, label: string, kind?: true | NameKinds<Row>])[]

/** Rarely used filters, hidden behind a button. They are visible from the start if one of them is set. */
export const MoreFilters = <Row,>({ list, fields }: { readonly list: List<Row>; readonly fields: Labels<Row> }) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(() => fields.some(([name]) => list.query[name] !== undefined))
  return (
    <>
      {isOpen
        ? fields.map(([name, label, kind]) =>
            typeof kind === 'object' ? (
              <FilterName key={name} list={list} name={name} label={label} {...kind} />
            ) : (
              <FilterField key={name} list={list} name={name} label={label} isTime={kind === true} />
            ),
          )
        : null}
      <Button kind="secondary" onClick={() => setIsOpen(!isOpen)}>
        {t(isOpen ? 'history.fewer' : 'history.more')}
      </Button>
    </>
  )
}
