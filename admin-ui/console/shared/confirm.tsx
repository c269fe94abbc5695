import { useQueryClient } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { Children, createContext, useRef, useState } from 'react'
import { ApiError } from '../../../src/http/client.ts'
import { Dialog } from '../../shared/dialog.tsx'
import { Field } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { useProblem } from './failure.tsx'

/** What stands in a dialog: its reason, and the fields that it does not follow letter by letter. */
export interface GivenInput {
  readonly reason: string
  readonly form: FormData
}
/** Reads what stands in the dialog around a part. */
export const GivenInputContext = createContext<(() => GivenInput) | undefined>(undefined)

interface ConfirmProps {
  readonly title: string
  /** What follows, counted from data where it can be: one line each. */
  readonly consequences: readonly ReactNode[]
  readonly action: string
  readonly isDangerous?: boolean
  /** Has to be typed before it can be done: for what cannot be taken back. */
  readonly typed?: string
  /** Asks why, and says it to the server. `required`: not without one. */
  readonly reason?: 'required' | 'optional'
  /** Fields of the change. */
  readonly children?: ReactNode
  /** Why it cannot be sent yet: said in the place of the call's own problem, and nothing is sent. */
  readonly blocked?: string | undefined
  /** Under the buttons: the same as a call. */
  readonly foot?: ReactNode
  /**
   * Makes the change. What it throws is said in the dialog, which stays open with all that was typed. `isOverwriting`: somebody else has changed
   * the same meanwhile, and the person wants theirs all the same.
   */
  readonly onConfirm: (reason: string, form: FormData, isOverwriting: boolean) => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before a change, with what follows from it; where it cannot be taken back also for the name and a reason. */
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
      // Overwriting is offered once what the others left is on the screen: what is offered works at once.
      if (isConflict) await client.invalidateQueries()
      setIsChanged(isConflict)
      setProblem(isConflict ? t('console.changed.text') : problemOf(error))
      setIsWorking(false)
    }
  }
  // What stood in the way is said no longer once it is mended.
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
