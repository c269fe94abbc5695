import { useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/** The scroll position of each history entry by its key. */
const places = new Map<string, number>()
/** Longest wait for rows, in milliseconds. */
const longestMs = 5_000

/** A new address starts at its top. The browser's *Back* returns to the former position as soon as the rows are there again. */
export const useScroll = (): void => {
  const { key, pathname, hash } = useLocation()
  const kind = useNavigationType()
  const current = useRef(key)
  const path = useRef(pathname)
  const isReturning = useRef(false)
  useEffect(() => {
    history.scrollRestoration = 'manual'
    const note = () => {
      if (!isReturning.current) places.set(current.current, scrollY)
    }
    addEventListener('scroll', note, { passive: true })
    return () => removeEventListener('scroll', note)
  }, [])
  useLayoutEffect(() => {
    const isOther = path.current !== pathname
    current.current = key
    path.current = pathname
    const goal = kind === 'POP' ? places.get(key) : undefined
    if (goal === undefined) {
      if (isOther && hash === '') scrollTo(0, 0)
      return
    }
    const events = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const
    const stop = () => {
      isReturning.current = false
      observer.disconnect()
      clearTimeout(timer)
      for (const name of events) removeEventListener(name, stop)
    }
    const attempt = () => {
      if (document.documentElement.scrollHeight - innerHeight < goal) return
      scrollTo(0, goal)
      stop()
    }
    const observer = new ResizeObserver(attempt)
    const timer = setTimeout(stop, longestMs)
    isReturning.current = true
    observer.observe(document.body)
    // A person who scrolls or types has chosen a position, so the page does not move any more.
    for (const name of events) addEventListener(name, stop, { passive: true })
    return stop
  }, [key, pathname, hash, kind])
}
