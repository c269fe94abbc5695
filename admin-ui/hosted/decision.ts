import { useRef, useState } from 'react'
import type { ErrorMessages } from '../shared/error-messages.ts'
import { errorMessages } from '../shared/error-messages.ts'
import { useI18n } from '../shared/text.tsx'
import { useCountdown } from '../shared/timers.ts'
import { useHosted } from './context.tsx'
import { goTo } from './return-url.ts'

/**
 * Sends a person's decision about an application's sign-in, and goes to the URL in the response. If the response has no URL, the page
 * stays. If the server refuses the decision, the person can decide again.
 */
export const useDecision = <C>(send: (choice: C) => Promise<{ readonly redirectURI: string } | undefined>) => {
  const { api, query } = useHosted()
  const i18n = useI18n()
  const busy = useRef(false)
  const [choice, setChoice] = useState<C | 'switch'>()
  const [problem, setProblem] = useState<ErrorMessages['form']>()
  const [attempt, setAttempt] = useState(0)
  const waitSeconds = useCountdown(problem?.waitSeconds ?? 0, attempt)

  const run = async (next: C | 'switch', leave: () => Promise<void>) => {
    if (busy.current || waitSeconds > 0) return
    busy.current = true
    setChoice(() => next)
    setProblem(undefined)
    try {
      await leave()
    } catch (error) {
      setProblem(errorMessages(error, [], api.retryAfterSeconds(), i18n).form)
      setAttempt((count) => count + 1)
      setChoice(undefined)
      busy.current = false
    }
  }
  return {
    choice,
    waitSeconds,
    blocked: waitSeconds > 0 || choice !== undefined,
    /** The message below the buttons. A message that asks the person to wait disappears when the wait is over. */
    problem: problem?.waitSeconds !== undefined && waitSeconds === 0 ? undefined : problem,
    decide: (next: C) =>
      void run(next, async () => {
        const answer = await send(next)
        if (answer !== undefined) goTo(answer.redirectURI)
      }),
    /** Signs the person out, so that they can sign in with another account. */
    switchAccount: () =>
      void run('switch', async () => {
        await api.sessions.signOut()
        // The server knows the URL that the sign-in returns to, so the address only needs the id of the interaction.
        location.assign(`/interaction/${encodeURIComponent(query.get('interaction') ?? '')}`)
      }),
  }
}
