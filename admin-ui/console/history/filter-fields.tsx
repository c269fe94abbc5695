import { useState } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { FilterField } from '../shared/filter-field.tsx'
import type { NameKinds } from '../shared/filter-name.tsx'
import { FilterName } from '../shared/filter-name.tsx'
import type { List } from '../shared/use-list.ts'

/** `kind` is true for a day. An object names the kinds of things whose names are searched. */
type Labels<Row> = readonly (readonly [name: string, label: string, kind?: true | NameKinds<Row>])[]

/** Rarely used filters, behind a button; open if one is set. */
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
