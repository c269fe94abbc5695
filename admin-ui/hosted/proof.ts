import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../src/http/client.ts'
import { proofOfWorkContract } from '../../src/limits/proof-of-work/contract.ts'
import { useI18n } from '../shared/text.tsx'
import { useHosted } from './context.tsx'

type Headers = Readonly<Record<string, string>>

/** The progress is shown in steps of this many percent. The steps are large because screen readers read out each of them. */
const stepPercent = 20

/**
 * Makes calls that may need a proof of work. `prove` makes the call, solves a challenge if the server requires it, and repeats the call.
 * Leaving the page stops the work. `text` shows its progress.
 */
export const useProof = (purpose: 'sign-up' | 'reset' | 'mail-sign-in') => {
  const { api } = useHosted()
  const { t } = useI18n()
  const [percent, setPercent] = useState<number>()
  const stop = useRef<AbortController>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    stop.current = controller
    return () => controller.abort()
  }, [])

  const solution = async (): Promise<Headers> => {
    const { challenge, difficulty } = await api.of(proofOfWorkContract).proofOfWork({ query: { for: purpose } })
    const signal = stop.current?.signal
    if (challenge === null || signal === undefined) return {}
    // This code is loaded when it is first needed, because few installations require a proof of work.
    const { solve } = await import('../shared/proof-of-work/solve.ts')
    const tell = (now: number) => setPercent(Math.floor(now / stepPercent) * stepPercent)
    tell(0)
    return { 'gatehouse-proof-of-work': await solve({ challenge, difficulty }, tell, signal) }
  }

  const prove = async <T>(call: (headers?: Headers) => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'PROOF_OF_WORK_REQUIRED') throw error
    }
    try {
      return await call(await solution())
    } finally {
      setPercent(undefined)
    }
  }
  return { prove, text: percent === undefined ? undefined : t('common.proof', { percent }) }
}
