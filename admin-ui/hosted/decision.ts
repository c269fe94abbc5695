import { useRef, useState } from 'react'
import type { Explanation } from '../shared/explain.ts'
import { explain } from '../shared/explain.ts'
import { useI18n } from '../shared/text.tsx'
import { useCountdown } from '../shared/waiting.ts'
import { useHosted } from './context.tsx'
import { goTo } from './continuation.ts'

/** Sends one decision of a person about the sign-in under way and leaves; after a refusal they can decide again. */
export const useDecision = <C>(send: (choice: C) => Promise<{ readonly redirectURI: string }>) => {
  const { api, query } = useHosted()
  const i18n = useI18n()
  const busy = useRef(false)
  const [choice, setChoice] = useState<C | 'switch'>()
  const [refusal, setRefusal] = useState<Explanation['form']>()
  const [attempt, setAttempt] = useState(0)
  const waitSeconds = useCountdown(refusal?.waitSeconds ?? 0, attempt)

  const run = async (next: C | 'switch', leave: () => Promise<void>) => {
    if (busy.current || waitSeconds > 0) return
    busy.current = true
    setChoice(() => next)
    setRefusal(undefined)
    try {
      await leave()
    } catch (error) {
      setRefusal(explain(error, [], api.retryAfterSeconds(), i18n).form)
      setAttempt((count) => count + 1)
      setChoice(undefined)
      busy.current = false
    }
  }
  return {
    choice,
    waitSeconds,
    blocked: waitSeconds > 0 || choice !== undefined,
    /** What is said under the buttons; a wait that is over needs no words. */
    problem: refusal?.waitSeconds !== undefined && waitSeconds === 0 ? undefined : refusal,
    decide: (next: C) => void run(next, async () => goTo((await send(next)).redirectURI)),
    /** Leaves the account, to sign in with another. */
    switchAccount: () =>
      void run('switch', async () => {
        await api.sessions.signOut()
        // The server knows where somebody signs in.
        location.assign(`/interaction/${encodeURIComponent(query.get('interaction') ?? '')}`)
      }),
  }
}
