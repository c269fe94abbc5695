import { useState } from 'react'
import type { FormProblem } from '../../shared/error-messages.ts'
import { errorMessages } from '../../shared/error-messages.ts'
import { useI18n } from '../../shared/text.tsx'
import { Notice } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'

export interface Outcome {
  readonly success: string | undefined
  readonly problem: FormProblem | undefined
  readonly showSuccess: (text: string) => void
  readonly showProblem: (problem: FormProblem) => void
  readonly clear: () => void
}

/** The message about the latest action on a page with lists. */
export const useOutcome = (): Outcome => {
  const [success, setSuccess] = useState<string>()
  const [problem, setProblem] = useState<FormProblem>()
  return {
    success,
    problem,
    showSuccess: (text) => {
      setSuccess(text)
      setProblem(undefined)
    },
    showProblem: (next) => {
      setSuccess(undefined)
      setProblem(next)
    },
    clear: () => {
      setSuccess(undefined)
      setProblem(undefined)
    },
  }
}

/** Shows the message about the latest action above the list. */
export const OutcomeNotice = ({ of: { success, problem } }: { readonly of: Outcome }) => (
  <div className="outcome">
    <div role="status">{success === undefined ? null : <Notice tone="good">{success}</Notice>}</div>
    <div role="alert">
      {problem === undefined ? null : <Notice tone={problem.waitSeconds === undefined ? 'bad' : 'wait'}>{problem.text}</Notice>}
    </div>
  </div>
)

/** Returns a function that runs one call at a time and shows the result as a message. `busy` is the name of the call that is running. */
export const useAction = (outcome: Outcome) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const [busy, setBusy] = useState<string>()
  const run = async (what: string, call: () => Promise<unknown>, message?: string) => {
    if (busy !== undefined) return
    setBusy(what)
    // The message is cleared before the call and not after it, because the call itself may set a message.
    outcome.clear()
    try {
      await call()
      if (message !== undefined) outcome.showSuccess(message)
    } catch (error) {
      const { form } = errorMessages(error, [], api.retryAfterSeconds(), i18n)
      if (form !== undefined) outcome.showProblem(form)
    }
    setBusy(undefined)
  }
  return { busy, run: (...input: Parameters<typeof run>) => void run(...input) }
}
