import { useEffect, useEffectEvent, useState } from 'react'

interface RowKeys {
  readonly count: number
  readonly onOpen: (index: number) => void
  readonly onMove: (index: number) => void
  readonly onClose: () => void
}

/** True where a key is text, or belongs to something that is open above the page. */
const isTaken = (event: KeyboardEvent) => {
  const { target, ctrlKey, metaKey, altKey, defaultPrevented } = event
  if (ctrlKey || metaKey || altKey || defaultPrevented) return true
  return target instanceof Element && target.closest('input, textarea, select, [role=menu], [role=dialog], dialog') !== null
}

/** The row that j and k move to, Enter opens and Escape closes, wherever the focus is on the page. */
export const useRowKeys = ({ count, onOpen, onMove, onClose }: RowKeys) => {
  const [active, setActive] = useState(-1)
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (isTaken(event)) return
    const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
    if (step !== 0 && count > 0) {
      const next = Math.min(count - 1, Math.max(0, active + step))
      setActive(next)
      onMove(next)
      return
    }
    const isOnControl = event.target instanceof Element && event.target.closest('a, button') !== null
    if (event.key === 'Enter' && !isOnControl && active >= 0) onOpen(active)
    if (event.key === 'Escape') onClose()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
  return { active: Math.min(active, count - 1), setActive }
}
