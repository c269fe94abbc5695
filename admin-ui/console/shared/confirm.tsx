import { useQueryClient } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { Children, useRef, useState } from 'react'
import { ApiError } from '../../../src/http/client.ts'
import { Dialog } from '../../shared/dialog.tsx'
import { Field } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { useProblem } from './failure.tsx'
import { GivenInputContext } from './show-call.tsx'

interface ConfirmProps {
  readonly title: string
  /** The consequences of the change, one line each. They contain numbers where possible. */
  readonly consequences: readonly ReactNode[]
  readonly action: string
  readonly isDangerous?: boolean
  /** The text that the person has to type before an irreversible change. */
  readonly typed?: string
  /** Whether the dialog asks for a reason. A change with a required reason cannot be sent without one. */
  readonly reason?: 'required' | 'optional'
  /** Form fields of the change, shown inside the dialog. */
  readonly children?: ReactNode
  /** Why the change cannot be sent yet. When the person presses the button, the dialog shows this text and sends nothing. */
  readonly blocked?: string | undefined
  /** Shown below the buttons: the API call that makes this change. */
  readonly foot?: ReactNode
  /**
   * Makes the change. If it throws, the dialog shows the error and stays open with the typed values. `isOverwriting` is true if the
   * person has seen that somebody else changed the same thing, and wants to make the change anyway.
   */
  readonly onConfirm: (reason: string, form: FormData, isOverwriting: boolean) => Promise<unknown>
  readonly onClose: () => void
}

/** A dialog that shows the consequences of a change before it is made. Before an irreversible change, the person types a name and a reason. */
export const Confirm = ({
  title,
  consequences,
  action,
  isDangerous = true,
  typed,
  reason,
  children,
  blocked,
  foot,
  onConfirm,
  onClose,
}: ConfirmProps) => {
  const { t } = useI18n()
  const problemOf = useProblem()
  const client = useQueryClient()
  const [isWorking, setIsWorking] = useState(false)
  const [wrong, setWrong] = useState<{ readonly typed?: string; readonly reason?: string }>({})
  const [problem, setProblem] = useState<string>()
  const [isBlocked, setIsBlocked] = useState(false)
  const [isChanged, setIsChanged] = useState(false)
  const formElement = useRef<HTMLFormElement>(null)
  const readInput = () => {
    const form = new FormData(formElement.current ?? undefined)
    return { reason: String(form.get('reason') ?? '').trim(), form }
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isWorking) return
    const form = new FormData(event.currentTarget)
    const why = String(form.get('reason') ?? '').trim()
    const isTyped = typed === undefined || String(form.get('typed') ?? '').trim() === typed
    const missing = reason === 'required' && why === ''
    setWrong({
      ...(isTyped ? {} : { typed: t('console.confirm.typeWrong', { text: typed }) }),
      ...(missing ? { reason: t('console.confirm.reasonMissing') } : {}),
    })
    const first = isTyped ? (missing ? 'reason' : undefined) : 'typed'
    if (first !== undefined) {
      event.currentTarget.querySelector<HTMLElement>(`[name="${first}"]`)?.focus()
      return
    }
    setProblem(undefined)
    setIsBlocked(blocked !== undefined)
    if (blocked !== undefined) return
    setIsWorking(true)
    try {
      await onConfirm(why, form, isChanged)
      onClose()
    } catch (error) {
      const isConflict = error instanceof ApiError && error.status === 412
      // Loads the other person's change first, so that the person sees it before pressing the button a second time, which overwrites it.
      if (isConflict) await client.invalidateQueries()
      setIsChanged(isConflict)
      setProblem(isConflict ? t('console.changed.text') : problemOf(error))
      setIsWorking(false)
    }
  }
  // A text about a blocked change disappears as soon as the cause is removed.
  const said = isBlocked ? blocked : problem
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        ref={formElement}
        className="confirm"
        noValidate
        onInput={() => setWrong({})}
        onSubmit={(event) => void submit(event)}
      >
        {consequences.length === 0 ? null : (
          <ul className="consequences" aria-label={t('console.confirm.counts')}>
            {Children.map(consequences, (line) => (
              <li>{line}</li>
            ))}
          </ul>
        )}
        {children}
        {reason === undefined ? null : (
          <Field
            name="reason"
            label={t('console.confirm.reason')}
            hint={t('console.confirm.reasonHint')}
            error={wrong.reason}
            maxLength={500}
            autoComplete="off"
            isOptional={reason === 'optional'}
          />
        )}
        {typed === undefined ? null : (
          <Field name="typed" label={t('console.confirm.type', { text: typed })} error={wrong.typed} autoComplete="off" />
        )}
        <div role="alert">{said === undefined ? null : <Notice tone="bad">{said}</Notice>}</div>
        <div className="dialog-actions">
          <Button kind="secondary" onClick={onClose}>
            {t('console.confirm.cancel')}
          </Button>
          <Button kind={isDangerous ? 'danger' : 'primary'} type="submit" working={isWorking}>
            {isChanged ? t('console.changed.overwrite') : action}
          </Button>
        </div>
        <GivenInputContext value={readInput}>{foot}</GivenInputContext>
      </form>
    </Dialog>
  )
}
