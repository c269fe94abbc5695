import { useRef, useState } from 'react'
import { passkeyProblem } from '../../shared/passkey-problem.ts'
import { useAddTexts, useI18n } from '../../shared/text.tsx'
import { useHosted } from '../context.tsx'

/**
 * The state of a button that uses a passkey: it allows one browser dialog at a time, and has the message after a failure. If `ask`
 * returns `leaving`, the state stays pending, because the browser is leaving the page.
 */
export const usePasskey = <T = void>(ask: (input: T) => Promise<'leaving' | 'again'>) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const busy = useRef(false)
  const [pending, setPending] = useState(false)
  const addTexts = useAddTexts()
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  /** Shows why the passkey failed. The message may be in a catalogue that has to be loaded first. */
  const fail = async (error: unknown) => {
    await addTexts('secondFactor').catch(() => undefined)
    setFailure({ error })
  }
  const start = async (input: T) => {
    if (busy.current) return
    busy.current = true
    setPending(true)
    setFailure(undefined)
    try {
      if ((await ask(input)) === 'leaving') return
    } catch (error) {
      await fail(error)
    }
    busy.current = false
    setPending(false)
  }
  const problem = failure && passkeyProblem(failure.error, api.retryAfterSeconds(), i18n)
  return { pending, problem, fail, start: (input: T) => void start(input) }
}
