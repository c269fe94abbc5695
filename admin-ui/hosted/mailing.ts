import { useRef, useState } from 'react'
import type { FormProblem } from '../shared/error-messages.ts'
import { errorMessages } from '../shared/error-messages.ts'
import { useI18n } from '../shared/text.tsx'
import { useCountdown } from '../shared/timers.ts'
import { useHosted } from './context.tsx'

/** Between two mails to the same person. */
const cooldownSeconds = 30

/** Has a mail sent, and no second one for a while. `justSent`: the server has sent one a moment ago. */
export const useMailing = (ask: () => Promise<unknown>, justSent: boolean) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const busy = useRef(false)
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState<FormProblem>()
  const [sent, setSent] = useState(false)
  const [wait, setWait] = useState({ seconds: justSent ? cooldownSeconds : 0, start: 0 })
  const waitSeconds = useCountdown(wait.seconds, wait.start)

  const pause = (seconds: number) => setWait(({ start }) => ({ seconds, start: start + 1 }))
  const send = async () => {
    if (busy.current) return
    busy.current = true
    setPending(true)
    setProblem(undefined)
    setSent(false)
    try {
      await ask()
      setSent(true)
      pause(cooldownSeconds)
    } catch (error) {
      const { form } = errorMessages(error, [], api.retryAfterSeconds(), i18n)
      setProblem(form)
      if (form?.waitSeconds !== undefined) pause(form.waitSeconds)
    }
    busy.current = false
    setPending(false)
  }
  return { pending, problem, sent, waitSeconds, send: () => void send() }
}

/** The mail whose link verifies an address. */
export const useVerificationMail = (email: string, callbackURL: string, justSent: boolean) => {
  const { api } = useHosted()
  return useMailing(() => api.accounts.sendVerificationEmail({ body: { email, callbackURL } }), justSent)
}
