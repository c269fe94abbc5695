import type { ComponentType, ReactNode } from 'react'
import { Suspense, useState } from 'react'
import { type KeptViews, sameView } from './kept-list.ts'
import { useLater } from './use-later.ts'
import { ViewButton } from './view-button.tsx'

/** Properties of the component that shows the actions on selected rows. */
export interface BulkProps<Row> {
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
  readonly nameOf: (row: Row) => string
  readonly hrefOf: ((row: Row) => string) | undefined
  readonly onClear: () => void
}

/** Loads the code of the actions on selected rows. It is called when the first row is selected. */
export type LoadBulk<Row> = () => Promise<ComponentType<BulkProps<Row>>>

const BulkActions = <Row,>({ load, bulk }: { readonly load: LoadBulk<Row>; readonly bulk: BulkProps<Row> }) => {
  const Actions = useLater(load, 'consoleLists')
  return (
    <Suspense fallback={null}>
      <Actions {...bulk} />
    </Suspense>
  )
}

interface ViewsProps {
  readonly views: KeptViews
  readonly columns: readonly { readonly id: string; readonly label: string }[]
  readonly isOpen: boolean
  readonly setIsOpen: (isOpen: boolean) => void
}

/** The button for saved views and columns. The code of its menu is loaded when the menu is first opened. */
const Views = ({ views, columns, isOpen, setIsOpen }: ViewsProps) => {
  const [isWanted, setIsWanted] = useState(false)
  const Menu = useLater(() => import('./view-menu.tsx').then(({ ViewMenu }) => ViewMenu), 'consoleLists')
  const name = views.views.find((view) => sameView(view, views.now))?.name
  if (isOpen && !isWanted) setIsWanted(true)
  const button = <ViewButton name={name} aria-haspopup="menu" onClick={() => setIsOpen(true)} />
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <Menu views={views} columns={columns} name={name} isOpen={isOpen} setIsOpen={setIsOpen} />
    </Suspense>
  )
}

interface TableBarProps<Row> extends ViewsProps {
  readonly count: ReactNode
  readonly load: LoadBulk<Row> | undefined
  readonly bulk: BulkProps<Row>
}

/** The bar above a table. It shows the number of rows, or the number of selected rows with the actions on them, and the views of the list. */
export const TableBar = <Row,>({ count, load, bulk, ...views }: TableBarProps<Row>) => (
  <div className={bulk.rows.length === 0 ? 'table-bar' : 'table-bar table-bar-chosen'}>
    <span role="status" className="table-count">
      {count}
    </span>
    {load === undefined || bulk.rows.length === 0 ? null : <BulkActions load={load} bulk={bulk} />}
    <Views {...views} />
  </div>
)
