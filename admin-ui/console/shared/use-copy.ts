import { useEffect, useState } from 'react'

/** How long a button shows its success. */
const shownMs = 2000

/** Copies a text and shows the result for a moment: browsers only allow this on secure addresses, and may ask. */
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
