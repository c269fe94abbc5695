import { useRef, useState } from 'react'
import type { FormProblem } from '../shared/error-messages.ts'
import { errorMessages } from '../shared/error-messages.ts'
import { useI18n } from '../shared/text.tsx'
import { useCountdown } from '../shared/timers.ts'
import { useHosted } from './context.tsx'

/** How long a person has to wait before the page sends another mail, in seconds. */
const cooldownSeconds = 30

/**
 * Returns a function that sends a mail, and the remaining time until the next mail may be sent. `justSent` is true if the server has just
 * sent a mail.
 */
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

/** Like `useMailing`, for the mail with a link that verifies an email address. */
export const useVerificationMail = (email: string, callbackURL: string, justSent: boolean) => {
  const { api } = useHosted()
  return useMailing(() => api.accounts.sendVerificationEmail({ body: { email, callbackURL } }), justSent)
}
