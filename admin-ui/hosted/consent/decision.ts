import { useRef, useState } from 'react'
import type { Explanation } from '../../shared/explain.ts'
import { explain } from '../../shared/explain.ts'
import { useI18n } from '../../shared/text.tsx'
import { useCountdown } from '../../shared/waiting.ts'
import { useHosted } from '../context.tsx'
import { goTo, pageUrl } from '../continuation.ts'

export type Choice = 'allow' | 'deny' | 'switch'

/** Sends one decision and leaves. After a refusal the person can decide again. */
export const useDecision = (uid: string) => {
  const { api, query } = useHosted()
  const i18n = useI18n()
  const busy = useRef(false)
  const [choice, setChoice] = useState<Choice>()
  const [refusal, setRefusal] = useState<Explanation['form']>()
  const [attempt, setAttempt] = useState(0)
  const waitSeconds = useCountdown(refusal?.waitSeconds ?? 0, attempt)

  const send = async (next: Choice) => {
    if (next === 'switch') {
      await api.sessions.signOut()
      return location.assign(pageUrl('/sign-in', query))
    }
    const { redirectURI } = await api.oidc.consent({ body: { accept: next === 'allow', interaction: uid } })
    goTo(redirectURI)
  }
  const decide = async (next: Choice) => {
    if (busy.current || waitSeconds > 0) return
    busy.current = true
    setChoice(next)
    setRefusal(undefined)
    try {
      await send(next)
    } catch (error) {
      setRefusal(explain(error, [], api.retryAfterSeconds(), i18n).form)
      setAttempt((count) => count + 1)
      setChoice(undefined)
      busy.current = false
    }
  }
  return { choice, waitSeconds, refusal, decide: (next: Choice) => void decide(next) }
}
