import type { ReactNode, SyntheticEvent } from 'react'
import { useId, useLayoutEffect, useRef } from 'react'

interface DialogProps {
  readonly title: string
  /** Below the title: what the dialog is about. */
  readonly text?: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A form over the page. Escape leaves everything as it is. */
export const Dialog = ({ title, text, onClose, children }: DialogProps) => {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  // Closed before it is removed, so that the focus returns to its former place.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  // Escape in a dialog inside this one does not close this one, although React passes the event on.
  const cancel = ({ target }: SyntheticEvent) => target === dialog.current && onClose()
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      aria-describedby={text === undefined ? undefined : `${id}-text`}
      onCancel={cancel}
    >
      <h2 id={id} className="break">
        {title}
      </h2>
      {text === undefined ? null : (
        <p id={`${id}-text`} className="quiet">
          {text}
        </p>
      )}
      {children}
    </dialog>
  )
}
