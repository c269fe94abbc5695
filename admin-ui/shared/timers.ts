import { useEffect, useState } from 'react'

/** Seconds left of a wait. The wait starts whenever `start` changes. */
export const useCountdown = (seconds: number, start: number): number => {
  const [left, setLeft] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new start with the same length begins anew.
  useEffect(() => {
    setLeft(seconds)
    if (seconds === 0) return
    const end = Date.now() + seconds * 1000
    const timer = setInterval(() => {
      const now = Math.max(0, Math.ceil((end - Date.now()) / 1000))
      setLeft(now)
      if (now === 0) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [seconds, start])
  return left
}

/** True when something has been pending so long that people notice, by default for three seconds. */
export const useSlow = (pending: boolean, afterMs = 3000): boolean => {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!pending) return setSlow(false)
    const timer = setTimeout(() => setSlow(true), afterMs)
    return () => clearTimeout(timer)
  }, [pending, afterMs])
  return slow
}
