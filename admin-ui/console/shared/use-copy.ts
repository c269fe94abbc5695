import { useEffect, useState } from 'react'

/** How long a button shows that copying worked, in milliseconds. */
const shownMs = 2000

/**
 * Copies a text and shows for a moment whether that worked. Copying can fail, because browsers allow it only on secure origins and may
 * ask the person.
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
