import { useEffect, useEffectEvent, useState } from 'react'

interface RowKeys {
  /** The displayed rows in their order. */
  readonly ids: readonly string[]
  readonly onOpen: (id: string) => void
  readonly onMove: (id: string) => void
  readonly onClose: () => void
  /** Actions of further keys. */
  readonly keys: Readonly<Record<string, (id: string | undefined) => void>>
}

/** True for a key that belongs to a text field, or to a menu or dialog above the page. */
const isTaken = (event: KeyboardEvent) => {
  const { target, ctrlKey, metaKey, altKey, defaultPrevented } = event
  if (ctrlKey || metaKey || altKey || defaultPrevented) return true
  const taking =
    'input:not([type=checkbox]), textarea, select, [role=menu], [role=dialog], dialog, [aria-haspopup=menu][aria-expanded=true]'
  return target instanceof Element && target.closest(taking) !== null
}

/**
 * The active row of a table, which got the focus or was reached by j and k. Enter opens it and Escape closes its preview, wherever the
 * focus is. The row is known by its id, so a refresh makes no other row active.
 */
export const useRowKeys = ({ ids, onOpen, onMove, onClose, keys }: RowKeys) => {
  const [place, setPlace] = useState<{ readonly id: string; readonly index: number }>()
  const index = place === undefined ? -1 : ids.indexOf(place.id)
  const active = index < 0 ? undefined : place?.id
  const setActive = (id: string) => setPlace({ id, index: ids.indexOf(id) })
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (isTaken(event)) return
    const target = event.target instanceof Element ? event.target : null
    const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
    if (step !== 0) {
      // If the active row was removed, the next row has its place.
      const from = place !== undefined && index < 0 ? place.index - (step > 0 ? 1 : 0) : index
      const next = ids[Math.min(ids.length - 1, Math.max(0, from + step))]
      if (next === undefined) return
      setActive(next)
      onMove(next)
      return
    }
    if (event.key === 'Enter' && !target?.closest('a, button') && active !== undefined) onOpen(active)
    else if (event.key === 'Escape') onClose()
    else if (Object.hasOwn(keys, event.key)) {
      event.preventDefault()
      keys[event.key]?.(active)
    }
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
  return { active, setActive }
}
