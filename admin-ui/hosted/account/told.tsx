import { useState } from 'react'
import type { FormProblem } from '../../shared/explain.ts'
import { Notice } from '../../shared/ui.tsx'
import { SignInAgain } from './sign-in-again.tsx'

export interface Told {
  readonly good: string | undefined
  readonly problem: FormProblem | undefined
  readonly say: (text: string) => void
  readonly refuse: (problem: FormProblem) => void
  readonly clear: () => void
}

/** What came of the latest thing that was done on a page of lists. */
export const useTold = (): Told => {
  const [good, setGood] = useState<string>()
  const [problem, setProblem] = useState<FormProblem>()
  return {
    good,
    problem,
    say: (text) => {
      setGood(text)
      setProblem(undefined)
    },
    refuse: (next) => {
      setGood(undefined)
      setProblem(next)
    },
    clear: () => {
      setGood(undefined)
      setProblem(undefined)
    },
  }
}

/** Says it, above the list it is about. */
export const Told = ({ of: { good, problem } }: { readonly of: Told }) => (
  <div className="told">
    <div role="status">{good === undefined ? null : <Notice tone="good">{good}</Notice>}</div>
    <div role="alert">
      {problem === undefined ? null : (
        <Notice tone={problem.waitSeconds === undefined ? 'bad' : 'wait'}>
          {problem.text} {problem.isStale === true ? <SignInAgain /> : null}
        </Notice>
      )}
    </div>
  </div>
)
