import type { ReactNode, SyntheticEvent } from 'react'
import { useId, useLayoutEffect, useRef } from 'react'

interface DialogProps {
  readonly title: string
  /** Shown below the title. */
  readonly text?: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A form over the page. Escape closes it without a change. */
export const Dialog = ({ title, text, onClose, children }: DialogProps) => {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  // The dialog is closed before it is removed, so that the browser returns the focus to its former place.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  // React passes events on to outer dialogs, so this handler ignores Escape in a dialog inside this one.
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
