import { useId, useLayoutEffect, useRef } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'

interface ConfirmProps {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

/** A question over the page. Escape and the first button change nothing. */
export const Confirm = ({ title, text, action, onConfirm, onCancel }: ConfirmProps) => {
  const id = useId()
  const { t } = useI18n()
  const dialog = useRef<HTMLDialogElement>(null)
  // Closed before it is removed, so that the focus returns to its former place.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={`${id}-title`} aria-describedby={`${id}-text`} onCancel={onCancel}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p id={`${id}-text`} className="quiet">
        {text}
      </p>
      <div className="dialog-actions">
        <Button kind="secondary" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button kind="danger" onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </dialog>
  )
}
