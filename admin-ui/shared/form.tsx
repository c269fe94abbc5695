import type { FormEvent, ReactNode, RefObject } from 'react'
import { useEffect, useRef, useState } from 'react'
import type { HostedApi } from './api.ts'
import type { ErrorMessages } from './error-messages.ts'
import { errorMessages } from './error-messages.ts'
import { needsProof } from './refusals.ts'
import { useI18n } from './text.tsx'
import { useCountdown, useSlow } from './timers.ts'
import type { Tone } from './ui.tsx'
import { Button, Notice } from './ui.tsx'

export type Values<F extends string> = Readonly<Record<F, string>>
export type FieldErrors<F extends string> = Readonly<Partial<Record<F, string>>>

/**
 * The server's messages about a form that was sent without script. Messages about a field have the field's name as their key; the message
 * about the whole form has the key `form`.
 */
export interface Refusal {
  readonly texts: Readonly<Record<string, string>>
  readonly seconds?: number
}

interface FormOptions<F extends string> {
  readonly api: Pick<HostedApi, 'retryAfterSeconds'>
  /** Names of the inputs, in the order in which the form shows them. */
  readonly fields: readonly F[]
  /** Checks the values in the browser, before anything is sent. */
  readonly check: (values: Values<F>) => FieldErrors<F>
  /** Makes the call. If it returns `leaving`, the browser is going to another page, so the form stays disabled. */
  readonly submit: (values: Values<F>, data: FormData) => Promise<'leaving' | 'done'>
  /** Error codes of this form, each with the name of the field that the error is about. */
  readonly atField?: Readonly<Record<string, F>>
  /** The server's refusal of the form, if it was sent before the script ran. The form shows it at first. */
  readonly refused?: Refusal | undefined
}

export interface FormState<F extends string> {
  readonly ref: RefObject<HTMLFormElement | null>
  readonly pending: boolean
  /** Seconds until the server accepts another call; 0 if it accepts one now. */
  readonly waitSeconds: number
  readonly errors: FieldErrors<F>
  readonly form: ErrorMessages['form']
  /** True after a successful call, until the person changes something. */
  readonly done: boolean
  readonly attempt: number
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void
  readonly onInput: (event: FormEvent<HTMLFormElement>) => void
}

interface SubmitErrors<F extends string> {
  readonly errors: FieldErrors<F>
  readonly form?: ErrorMessages['form']
}

const noErrors = <F extends string>() => ({}) as FieldErrors<F>

/** True if the browser cannot parse the text in the input, such as half a date. The value of such an input is empty. */
const isUnreadable = (input: Element | RadioNodeList | null) => input instanceof HTMLInputElement && input.validity.badInput

const textOf = (value: FormDataEntryValue | null) => (typeof value === 'string' ? value : '')

/**
 * The state of a form. Values are checked and sent, one call at a time. Errors are shown at their fields, and the first field with an
 * error takes the focus. If the person cancels a proof of identity, the focus does not move.
 */
export const useForm = <F extends string>({ api, fields, check, submit, atField, refused }: FormOptions<F>): FormState<F> => {
  const i18n = useI18n()
  const ref = useRef<HTMLFormElement>(null)
  const busy = useRef(false)
  const [pending, setPending] = useState(false)
  const [attempt, setAttempt] = useState(0)
  const [done, setDone] = useState(false)
  const [submitErrors, setSubmitErrors] = useState<SubmitErrors<F>>(() => {
    if (refused === undefined) return { errors: noErrors<F>() }
    const { form: text, ...errors } = refused.texts
    const wait = refused.seconds === undefined ? {} : { waitSeconds: refused.seconds }
    return { errors: errors as FieldErrors<F>, ...(text === undefined ? {} : { form: { text, ...wait } }) }
  })
  const waitSeconds = useCountdown(submitErrors.form?.waitSeconds ?? 0, attempt)

  const refuse = (next: SubmitErrors<F>) => {
    setSubmitErrors(next)
    setAttempt((count) => count + 1)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: focus moves once per attempt, not when errors are edited away.
  useEffect(() => {
    if (attempt === 0) return
    const wrong = fields.find((name) => submitErrors.errors[name] !== undefined)
    const target = wrong === undefined ? '[data-problem]' : `[name="${wrong}"]`
    ref.current?.querySelector<HTMLElement>(target)?.focus()
  }, [attempt])

  const send = async (form: HTMLFormElement) => {
    const data = new FormData(form)
    const values = Object.fromEntries(fields.map((name) => [name, textOf(data.get(name))])) as Record<F, string>
    const unreadable = fields.filter((name) => isUnreadable(form.elements.namedItem(name)))
    const words = unreadable.map((name) => [name, i18n.t('problem.fieldInvalid')] as const)
    const errors = { ...check(values), ...Object.fromEntries(words) } as FieldErrors<F>
    if (Object.keys(errors).length > 0) return refuse({ errors })
    busy.current = true
    setDone(false)
    setSubmitErrors({ errors: noErrors<F>() })
    setPending(true)
    try {
      if ((await submit(values, data)) === 'leaving') return
      setDone(true)
    } catch (error) {
      const words = errorMessages(error, fields, api.retryAfterSeconds(), i18n, atField)
      const next = { errors: words.fields as FieldErrors<F>, form: words.form }
      if (needsProof(error)) setSubmitErrors(next)
      else refuse(next)
    }
    busy.current = false
    setPending(false)
  }

  return {
    ref,
    pending,
    waitSeconds,
    errors: submitErrors.errors,
    form: submitErrors.form?.waitSeconds !== undefined && waitSeconds === 0 ? undefined : submitErrors.form,
    done,
    attempt,
    onSubmit: (event) => {
      event.preventDefault()
      if (!busy.current && waitSeconds === 0) void send(event.currentTarget)
    },
    onInput: ({ target }) => {
      setDone(false)
      const isInput =
        target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
      const name = isInput ? target.name : ''
      // The message was about what the form contained before, so it is removed. Only a message that asks the person to wait stays.
      setSubmitErrors(({ errors, form }) => {
        const { [name as F]: _, ...rest } = errors
        const wait = form?.waitSeconds === undefined ? {} : { form }
        return { errors: rest as FieldErrors<F>, ...wait }
      })
    },
  }
}

interface SubmitButtonProps {
  readonly of: Pick<FormState<string>, 'pending' | 'waitSeconds'>
  readonly kind?: 'primary' | 'danger'
  readonly children: ReactNode
}

/** The button that sends the form. After too many attempts it shows the wait in place of its label. */
export const SubmitButton = ({ of: { pending, waitSeconds }, kind, children }: SubmitButtonProps) => {
  const { t } = useI18n()
  return (
    <Button type="submit" working={pending} blocked={waitSeconds > 0} {...(kind === undefined ? {} : { kind })}>
      {waitSeconds > 0 ? t('problem.tooManyWait', { count: waitSeconds }) : children}
    </Button>
  )
}

interface FormEndProps {
  readonly problem: ErrorMessages['form']
  /** The message that is shown after a success. */
  readonly done?: ReactNode
  /** The tone of the message after a success. It is `good`, unless only a part has succeeded. */
  readonly tone?: Tone
  readonly pending: boolean
  /** A line that is shown in this place while there is no message. */
  readonly foot?: ReactNode
}

/** The end of a form, below the buttons. It shows either a message or the line `foot`. Both are in one space, so that a message moves nothing. */
export const FormEnd = ({ problem, done, tone = 'good', pending, foot }: FormEndProps) => {
  const { t } = useI18n()
  const slow = useSlow(pending)
  const isGood = problem === undefined && done !== undefined
  const speaks = slow || problem !== undefined || isGood
  const manner = speaks ? 'form-end-filled' : foot === undefined ? 'form-end-bare' : ''
  return (
    <div className={`form-end ${manner}`}>
      {foot === undefined ? null : <p className="card-foot">{foot}</p>}
      <div className="form-notices">
        <div role="alert" tabIndex={-1} data-problem>
          {problem === undefined ? null : (
            <Notice tone={problem.waitSeconds === undefined ? 'bad' : 'wait'}>{problem.text}</Notice>
          )}
        </div>
        <div role="status">{isGood ? <Notice tone={tone}>{done}</Notice> : null}</div>
        {slow ? <Notice tone="wait">{t('common.slow')}</Notice> : null}
      </div>
    </div>
  )
}

interface FormProps<F extends string> {
  readonly state: FormState<F>
  /** Text for screen readers while the call runs. */
  readonly working: string
  readonly children: ReactNode
  readonly done?: ReactNode
  readonly tone?: Tone
  readonly foot?: ReactNode
}

/** A form. Messages are shown below its button. Screen readers also get the status of the call. */
export const Form = <F extends string>({ state, working, children, done, tone, foot }: FormProps<F>) => {
  const { t } = useI18n()
  const wrong = Object.keys(state.errors).length
  return (
    <form ref={state.ref} className="form" noValidate method="post" onSubmit={state.onSubmit} onInput={state.onInput}>
      {children}
      <FormEnd
        problem={state.form}
        done={state.done ? done : undefined}
        {...(tone === undefined ? {} : { tone })}
        pending={state.pending}
        foot={foot}
      />
      <p className="visually-hidden" role="status">
        {state.pending ? working : wrong > 0 ? t('problem.fields', { count: wrong }) : ''}
      </p>
    </form>
  )
}
