import { useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { Dialog } from '../../shared/dialog.tsx'
import { useI18n } from '../../shared/text.tsx'
import { recognise } from './recognise.ts'
import { TokenParts } from './token.tsx'
import { useHits } from './use-hits.ts'

/** Finds the screen for a name or pasted text. */
export const Palette = ({ onClose }: { readonly onClose: () => void }) => {
  const { t } = useI18n()
  const id = useId()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const guess = recognise(text)
  const { hits, isSearching } = useHits(guess)
  const go = (path: string) => {
    onClose()
    void navigate(path)
  }
  const chosen = Math.min(active, hits.length - 1)
  return (
    <Dialog title={t('console.palette.title')} onClose={onClose}>
      <div className="palette">
        <input
          className="palette-input"
          type="text"
          role="combobox"
          aria-label={t('console.palette.label')}
          placeholder={t('console.palette.label')}
          aria-expanded={hits.length > 0}
          aria-controls={`${id}-hits`}
          aria-activedescendant={hits.length > 0 ? `${id}-${chosen}` : undefined}
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setActive(0)
          }}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
            if (step !== 0) {
              event.preventDefault()
              setActive(Math.max(0, Math.min(hits.length - 1, chosen + step)))
            }
            const hit = hits[chosen]
            if (event.key === 'Enter' && hit !== undefined) go(hit.path)
          }}
        />
        <div ref={list} id={`${id}-hits`} className="palette-hits" role="listbox" aria-label={t('console.palette.results')}>
          {hits.map(({ path, title, detail }, index) => (
            <div
              key={path}
              id={`${id}-${index}`}
              className="palette-hit"
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onClick={() => go(path)}
              onKeyDown={({ key }) => (key === 'Enter' ? go(path) : undefined)}
            >
              <span className="break">{title}</span>
              <span className="who-detail">{detail}</span>
            </div>
          ))}
        </div>
        {guess?.kind === 'jwt' ? <TokenParts token={guess} /> : null}
        <p className="palette-hint" role="status">
          {isSearching
            ? t('console.palette.searching')
            : guess === undefined || guess.kind === 'jwt' || hits.length > 0
              ? t('console.palette.hint')
              : t('console.palette.none')}
        </p>
      </div>
    </Dialog>
  )
}
