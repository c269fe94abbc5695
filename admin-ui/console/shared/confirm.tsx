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
  /** The consequences, with numbers if possible; one line each. */
  readonly consequences: readonly ReactNode[]
  readonly action: string
  readonly isDangerous?: boolean
  /** Text to type before an irreversible change. */
  readonly typed?: string
  /** Whether the dialog asks for a reason, and whether the change needs one. */
  readonly reason?: 'required' | 'optional'
  /** Fields that the dialog shows for the change. */
  readonly children?: ReactNode
  /** Why the change cannot be sent yet. The dialog shows this in place of an error, and sends nothing. */
  readonly blocked?: string | undefined
  /** The equivalent call, under the buttons. */
  readonly foot?: ReactNode
  /**
   * Makes the change. An error is shown in the dialog, which stays open with the typed values. `isOverwriting` is true if the person
   * wants the change although somebody else changed the same thing.
   */
  readonly onConfirm: (reason: string, form: FormData, isOverwriting: boolean) => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before a change and shows its consequences. Before an irreversible change, the person types the name and a reason. */
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
      // The other person's change is loaded before the dialog offers to overwrite it, because overwriting then needs no further question.
      if (isConflict) await client.invalidateQueries()
      setIsChanged(isConflict)
      setProblem(isConflict ? t('console.changed.text') : problemOf(error))
      setIsWorking(false)
    }
  }
  // The error disappears when its cause is corrected.
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
