import { useEffect, useState } from 'react'

/** Time for which a button shows its success, in milliseconds. */
const shownMs = 2000

/**
 * Copies a text and shows the result for a moment. It can fail, because browsers allow copying only on secure addresses, and may ask the
 * person.
 */
export const useCopy = (text: string) => {
  const [outcome, setOutcome] = useState<'done' | 'failed'>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), shownMs)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('done'),
      () => setOutcome('failed'),
    )
  return { outcome, copy: () => (navigator.clipboard === undefined ? Promise.resolve(setOutcome('failed')) : copy()) }
}
