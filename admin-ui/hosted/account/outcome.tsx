import { useState } from 'react'
import type { FormProblem } from '../../shared/error-messages.ts'
import { Notice } from '../../shared/ui.tsx'
import { SignInAgain } from './sign-in-again.tsx'

export interface Outcome {
  readonly success: string | undefined
  readonly problem: FormProblem | undefined
  readonly showSuccess: (text: string) => void
  readonly showProblem: (problem: FormProblem) => void
  readonly clear: () => void
}

/** The outcome of the latest action on a page of lists. */
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

/** Shows the outcome above the list it belongs to. */
export const OutcomeNotice = ({ of: { success, problem } }: { readonly of: Outcome }) => (
  <div className="outcome">
    <div role="status">{success === undefined ? null : <Notice tone="good">{success}</Notice>}</div>
    <div role="alert">
      {problem === undefined ? null : (
        <Notice tone={problem.waitSeconds === undefined ? 'bad' : 'wait'}>
          {problem.text} {problem.needsSignIn === true ? <SignInAgain /> : null}
        </Notice>
      )}
    </div>
  </div>
)
