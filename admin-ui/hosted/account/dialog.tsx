import type { ReactNode } from 'react'
import { useId, useLayoutEffect, useRef } from 'react'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A form over the page. Escape leaves everything as it is. */
export const Dialog = ({ title, onClose, children }: DialogProps) => {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  // Closed before it is taken away: only then the focus goes back to where it was.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={id} onCancel={onClose}>
      <h2 id={id} className="break">
        {title}
      </h2>
      {children}
    </dialog>
  )
}
