import { useRef, useState } from 'react'
import type { FormProblem } from '../../shared/error-messages.ts'
import { useI18n } from '../../shared/text.tsx'
import { useHosted } from '../context.tsx'
import { passkeyProblem } from './passkey.ts'

/** One question of the browser at a time, with what to say when it fails. Stays pending when it answers `leaving`: the page goes on. */
export const usePasskey = <T = void>(ask: (input: T) => Promise<'leaving' | 'again'>) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const busy = useRef(false)
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState<FormProblem>()
  const start = async (input: T) => {
    if (busy.current) return
    busy.current = true
    setPending(true)
    setProblem(undefined)
    try {
      if ((await ask(input)) === 'leaving') return
    } catch (error) {
      setProblem(passkeyProblem(error, api.retryAfterSeconds(), i18n))
    }
    busy.current = false
    setPending(false)
  }
  return { pending, problem, start: (input: T) => void start(input) }
}
