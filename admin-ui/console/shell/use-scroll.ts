import { useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/** The scroll positions of the entries in the browser's history, by the key of the entry. */
const places = new Map<string, number>()
/** How long a page waits at most for rows before it stops restoring its scroll position, in milliseconds. */
const longestMs = 5_000

/**
 * Scrolls a newly opened screen to its top. When the person goes back in the history, the former position is restored as soon as the rows
 * are there.
 */
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
    // Once the person scrolls or types, the page does not move the scroll position any more.
    for (const name of events) addEventListener(name, stop, { passive: true })
    return stop
  }, [key, pathname, hash, kind])
}
