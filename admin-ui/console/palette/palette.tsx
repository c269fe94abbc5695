import { useState } from 'react'
import { useNavigate } from 'react-router'
import { Dialog } from '../../shared/dialog.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useCombobox } from '../shared/use-combobox.ts'
import { recognise } from './recognise.ts'
import { TokenParts } from './token.tsx'
import { useHits } from './use-hits.ts'

/** A dialog that finds the screen for a typed name or a pasted text, such as an id, a link or a token. */
export const Palette = ({ onClose }: { readonly onClose: () => void }) => {
  const { t } = useI18n()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const guess = recognise(text)
  const { hits, isSearching } = useHits(guess)
  const go = (path: string) => {
    onClose()
    void navigate(path)
  }
  const { active, reset, moves, input, list, optionAt } = useCombobox(t('console.palette.results'), hits.length, 0)
  return (
    <Dialog title={t('console.palette.title')} onClose={onClose}>
      <div className="palette">
        <input
          {...input}
          className="palette-input"
          type="text"
          aria-label={t('console.palette.label')}
          placeholder={t('console.palette.label')}
          autoFocus
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            reset()
          }}
          onKeyDown={(event) => {
            if (moves(event.key)) event.preventDefault()
            const hit = hits[active]
            if (event.key === 'Enter' && hit !== undefined) go(hit.path)
          }}
        />
        <div {...list} className="palette-hits">
          {hits.map(({ path, title, detail }, index) => (
            <div
              key={path}
              role="option"
              tabIndex={-1}
              {...optionAt(index)}
              className="palette-hit"
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
