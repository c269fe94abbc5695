import type { FormEvent, ReactNode, RefObject } from 'react'
import { useEffect, useRef, useState } from 'react'
import type { HostedApi } from './api.ts'
import type { Explanation } from './explain.ts'
import { explain } from './explain.ts'
import { useI18n } from './text.tsx'
import { Notice } from './ui.tsx'
import { useCountdown, useSlow } from './waiting.ts'

export type Values<F extends string> = Readonly<Record<F, string>>
export type FieldErrors<F extends string> = Readonly<Partial<Record<F, string>>>

interface FormOptions<F extends string> {
  readonly api: Pick<HostedApi, 'retryAfterSeconds'>
  /** Names of the inputs, in the order in which they are shown. */
  readonly fields: readonly F[]
  /** What can be said without asking the server. */
  readonly check: (values: Values<F>) => FieldErrors<F>
  /** Calls the server. Answer `leaving` when the browser is on its way to another page: the form stays closed. */
  readonly submit: (values: Values<F>, data: FormData) => Promise<'leaving' | 'done'>
}

export interface FormState<F extends string> {
  readonly ref: RefObject<HTMLFormElement | null>
  readonly pending: boolean
  /** Seconds until the server listens again; 0 when it does. */
  readonly waitSeconds: number
  readonly errors: FieldErrors<F>
  readonly form: Explanation['form']
  readonly attempt: number
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void
  readonly onInput: (event: FormEvent<HTMLFormElement>) => void
}

interface Refusal<F extends string> {
  readonly errors: FieldErrors<F>
  readonly form?: Explanation['form']
}

const noErrors = <F extends string>() => ({}) as FieldErrors<F>

const textOf = (value: FormDataEntryValue | null) => (typeof value === 'string' ? value : '')

/** One form: checks, sends once, puts refusals where they belong and moves focus there. */
export const useForm = <F extends string>({ api, fields, check, submit }: FormOptions<F>): FormState<F> => {
  const i18n = useI18n()
  const ref = useRef<HTMLFormElement>(null)
  const busy = useRef(false)
  const [pending, setPending] = useState(false)
  const [attempt, setAttempt] = useState(0)
  const [refusal, setRefusal] = useState<Refusal<F>>({ errors: noErrors<F>() })
  const waitSeconds = useCountdown(refusal.form?.waitSeconds ?? 0, attempt)

  const refuse = (next: Refusal<F>) => {
    setRefusal(next)
    setAttempt((count) => count + 1)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: focus moves once per attempt, not when errors are edited away.
  useEffect(() => {
    if (attempt === 0) return
    const wrong = fields.find((name) => refusal.errors[name] !== undefined)
    const target = wrong === undefined ? '[data-problem]' : `[name="${wrong}"]`
    ref.current?.querySelector<HTMLElement>(target)?.focus()
  }, [attempt])

  const send = async (form: HTMLFormElement) => {
    const data = new FormData(form)
    const values = Object.fromEntries(fields.map((name) => [name, textOf(data.get(name))])) as Record<F, string>
    const errors = check(values)
    if (Object.keys(errors).length > 0) return refuse({ errors })
    busy.current = true
    setRefusal({ errors: noErrors<F>() })
    setPending(true)
    try {
      if ((await submit(values, data)) === 'leaving') return
    } catch (error) {
      const words = explain(error, fields, api.retryAfterSeconds(), i18n)
      refuse({ errors: words.fields as FieldErrors<F>, form: words.form })
    }
    busy.current = false
    setPending(false)
  }

  return {
    ref,
    pending,
    waitSeconds,
    errors: refusal.errors,
    form: refusal.form?.waitSeconds !== undefined && waitSeconds === 0 ? undefined : refusal.form,
    attempt,
    onSubmit: (event) => {
      event.preventDefault()
      if (!busy.current && waitSeconds === 0) void send(event.currentTarget)
    },
    onInput: ({ target }) => {
      const name = target instanceof HTMLInputElement ? target.name : ''
      if (!(name in refusal.errors)) return
      setRefusal(({ errors, form }) => {
        const { [name as F]: _, ...rest } = errors
        return { errors: rest as FieldErrors<F>, form }
      })
    },
  }
}

interface FormProps<F extends string> {
  readonly state: FormState<F>
  /** Said while the call runs, to people who do not see the spinner. */
  readonly working: string
  readonly children: ReactNode
}

/** The form element, with the places where it speaks: one seen, under the button, and one only heard. */
export const Form = <F extends string>({ state, working, children }: FormProps<F>) => {
  const { t } = useI18n()
  const slow = useSlow(state.pending)
  const wrong = Object.keys(state.errors).length
  return (
    <form ref={state.ref} className="form" noValidate method="post" onSubmit={state.onSubmit} onInput={state.onInput}>
      {children}
      <div className="form-status">
        <div role="alert" tabIndex={-1} data-problem>
          {state.form === undefined ? null : (
            <Notice tone={state.form.waitSeconds === undefined ? 'bad' : 'wait'}>{state.form.text}</Notice>
          )}
        </div>
        {slow ? <Notice tone="wait">{t('common.slow')}</Notice> : null}
      </div>
      <p className="unseen" role="status">
        {state.pending ? working : wrong > 0 ? t('problem.fields', { count: wrong }) : ''}
      </p>
    </form>
  )
}
