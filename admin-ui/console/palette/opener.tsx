import { lazy, Suspense, useEffect, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'

const Palette = lazy(() => import('./palette.tsx').then((file) => ({ default: file.Palette })))

/**
 * The button that opens the palette, and its keyboard shortcut (Ctrl-K, on a Mac also Cmd-K). The code of the palette is loaded when it
 * is first opened.
 */
export const PaletteOpener = () => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      setIsOpen(true)
    }
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
  return (
    <>
      <button type="button" className="palette-button" aria-keyshortcuts="Control+K" onClick={() => setIsOpen(true)}>
        <Icon name="search" size={16} />
        <span className="palette-word">{t('console.palette.open')}</span>
        <kbd>Ctrl K</kbd>
      </button>
      {isOpen ? (
        <Suspense fallback={null}>
          <Palette onClose={() => setIsOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
