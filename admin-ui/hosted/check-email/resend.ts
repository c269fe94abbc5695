import { useState } from 'react'
import { explain } from '../../shared/explain.ts'
import { useI18n } from '../../shared/text.tsx'
import type { Tone } from '../../shared/ui.tsx'
import { useCountdown } from '../../shared/waiting.ts'
import { useHosted } from '../context.tsx'

/** Between two mails to the same person. */
const cooldownSeconds = 30

interface Outcome {
  readonly tone: Tone
  readonly text: string
}

/** Sends the verification mail, and no second one for a while. `justSent`: the server has sent one a moment ago. */
export const useVerificationMail = (email: string, callbackURL: string, justSent: boolean) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const [pending, setPending] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const [wait, setWait] = useState({ seconds: justSent ? cooldownSeconds : 0, start: 0 })
  const waitSeconds = useCountdown(wait.seconds, wait.start)

  const pause = (seconds: number) => setWait(({ start }) => ({ seconds, start: start + 1 }))
  const send = async () => {
    setPending(true)
    setOutcome(undefined)
    try {
      await api.accounts.sendVerificationEmail({ body: { email, callbackURL } })
      setOutcome({ tone: 'good', text: i18n.t('checkEmail.resent') })
      pause(cooldownSeconds)
    } catch (error) {
      const { form } = explain(error, [], api.retryAfterSeconds(), i18n)
      setOutcome({ tone: form?.waitSeconds === undefined ? 'bad' : 'wait', text: form?.text ?? i18n.t('problem.unknown') })
      if (form?.waitSeconds !== undefined) pause(form.waitSeconds)
    }
    setPending(false)
  }
  return { pending, outcome, waitSeconds, send: () => void send() }
}
