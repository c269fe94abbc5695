import { useEffect, useState } from 'react'
import { Dialog } from '../../shared/dialog.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'

const keys = [
  ['Ctrl K', 'palette'],
  ['/', 'search'],
  ['j k', 'rows'],
  ['Enter', 'open'],
  ['x', 'choose'],
  ['a', 'actions'],
  ['v', 'views'],
  ['Esc', 'close'],
  ['?', 'help'],
] as const

/** A dialog that lists the keyboard shortcuts. The key `?` opens it, except in text fields. */
export const Keys = () => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  useEffect(() => {
    const listener = ({ key, target }: KeyboardEvent) => {
      const isTyping = target instanceof Element && target.closest('input, textarea, select, dialog') !== null
      if (key === '?' && !isTyping) setIsOpen(true)
    }
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
  if (!isOpen) return null
  return (
    <Dialog title={t('console.keys.title')} onClose={close}>
      <dl className="keys">
        {keys.map(([key, name]) => (
          <div key={key} className="key">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t(`console.keys.${name}`)}</dd>
          </div>
        ))}
      </dl>
      <div className="dialog-actions">
        <Button kind="secondary" onClick={close}>
          {t('console.peek.close')}
        </Button>
      </div>
    </Dialog>
  )
}
