import type { ReactNode } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Empty } from './empty.tsx'
import type { List } from './use-list.ts'

interface TableEmptyProps<Row> {
  readonly list: List<Row>
  /** Shown if the list is empty although no filter is set. */
  readonly empty: ReactNode
}

/**
 * Shown in place of a page without rows. The text depends on the cause: further pages follow, no row matches the filters, or the list is
 * empty.
 */
export const TableEmpty = <Row,>({ list, empty }: TableEmptyProps<Row>) => {
  const { t } = useI18n()
  const { toNext, isFirst, isFiltered } = list
  const back = isFirst ? null : (
    <Button kind="secondary" onClick={list.toPrevious}>
      {t('console.table.previous')}
    </Button>
  )
  if (toNext !== undefined)
    return (
      <Empty icon="search" title={t('console.table.further')} text={t('console.table.furtherText')}>
        {back}
        <Button onClick={toNext}>{t('console.table.lookFurther')}</Button>
      </Empty>
    )
  if (!isFirst)
    return (
      <Empty icon="search" title={t('console.table.end')} text={t('console.table.endText')}>
        {back}
      </Empty>
    )
  if (!isFiltered) return empty
  return (
    <Empty icon="search" title={t('console.table.none')} text={t('console.table.noneText')}>
      <Button kind="secondary" onClick={() => list.set(Object.fromEntries(list.filters.map((name) => [name, undefined])))}>
        {t('console.table.clear')}
      </Button>
    </Empty>
  )
}
