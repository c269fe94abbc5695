import type { ComponentType } from 'react'
import { useEffect, useState } from 'react'
import type { HostedApi } from '../../shared/api.ts'
import { isSignedOut, needsProof } from '../../shared/refusals.ts'
import { useAddTexts } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'

interface Loaded {
  readonly Question: ComponentType<{ readonly api: HostedApi; readonly email: string }>
  /**
   * Called when `Question` is mounted and handles refused calls itself. The call that waits in this component is then handed over to
   * `Question`.
   */
  readonly onReady: () => void
}

const Ready = ({ onReady }: { readonly onReady: () => void }) => {
  useEffect(onReady, [onReady])
  return null
}

/**
 * Handles calls that the server refuses because they need a recent proof of identity. Each such call waits until the person has given the
 * proof in a dialog. Code and texts of the dialog belong to the account area, so they are loaded after the first refusal.
 */
export const Proof = () => {
  const { api, access } = useConsole()
  const addTexts = useAddTexts()
  const [loaded, setLoaded] = useState<Loaded>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the question takes the place of this remedy, once.
  useEffect(() => {
    let loading: Promise<void> | undefined
    const load = async () => {
      const [{ ProofInPlace }] = await Promise.all([import('./proof-question.ts'), addTexts('secondFactor'), addTexts('account')])
      await new Promise<void>((onReady) => setLoaded({ Question: ProofInPlace, onReady }))
    }
    api.hosted.setRemedy(async (error, isAgain) => {
      if (!needsProof(error) && !isSignedOut(error)) return false
      loading ??= load()
      await loading
      return api.hosted.remedy(error, isAgain)
    })
  }, [])
  if (loaded === undefined) return null
  const { Question, onReady } = loaded
  return (
    <>
      <Question api={api.hosted} email={access.user.email} />
      <Ready onReady={onReady} />
    </>
  )
}
