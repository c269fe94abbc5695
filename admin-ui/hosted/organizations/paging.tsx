import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'

/** So many rows fit on a page that one looks over. */
export const pageSize = 20

interface PagerProps {
  readonly offset: number
  readonly shown: number
  readonly hasMore: boolean
  /** "1–20 of 43", where the number of all is known. */
  readonly total?: number
  readonly onGo: (offset: number) => void
}

/** On to the next rows and back; nothing while all are there. */
export const Pager = ({ offset, shown, hasMore, total, onGo }: PagerProps) => {
  const { t } = useI18n()
  if (offset === 0 && !hasMore) return null
  const range = { from: offset + 1, to: offset + shown }
  return (
    <div className="rows-foot pager">
      <span className="quiet">{total === undefined ? t('pager.range', range) : t('pager.rangeOf', { ...range, total })}</span>
      <span className="row-actions">
        <Button kind="secondary" blocked={offset === 0} onClick={() => onGo(Math.max(0, offset - pageSize))}>
          {t('pager.back')}
        </Button>
        <Button kind="secondary" blocked={!hasMore} onClick={() => onGo(offset + pageSize)}>
          {t('pager.next')}
        </Button>
      </span>
    </div>
  )
}

/** After this time without another letter the search begins. */
const typingMs = 250

interface SearchProps {
  readonly label: string
  readonly onSearch: (text: string) => void
}

export const Search = ({ label, onSearch }: SearchProps) => {
  const [typed, setTyped] = useState('')
  const said = useRef('')
  // biome-ignore lint/correctness/useExhaustiveDependencies: begins anew with each letter alone.
  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed.trim() !== said.current) onSearch(typed.trim())
      said.current = typed.trim()
    }, typingMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <div className="field search">
      <div className="field-box">
        <Icon name="search" size={18} />
        <input
          type="search"
          aria-label={label}
          placeholder={label}
          autoComplete="off"
          maxLength={200}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </div>
    </div>
  )
}

/** Says how many there are when a search has changed it, to people who do not see the list. */
export const Announcement = ({ children }: { readonly children: ReactNode }) => (
  <p className="visually-hidden" role="status">
    {children}
  </p>
)
