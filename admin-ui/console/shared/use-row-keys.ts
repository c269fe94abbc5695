import { useEffect, useEffectEvent, useState } from 'react'

interface RowKeys {
  /** The displayed rows in their order. */
  readonly ids: readonly string[]
  readonly onOpen: (id: string) => void
  readonly onMove: (id: string) => void
  readonly onClose: () => void
  /** Functions for further keys, by the name of the key. */
  readonly keys: Readonly<Record<string, (id: string | undefined) => void>>
}

/** True if the key event belongs to a text field, or to a menu or dialog above the page. */
const isTaken = (event: KeyboardEvent) => {
  const { target, ctrlKey, metaKey, altKey, defaultPrevented } = event
  if (ctrlKey || metaKey || altKey || defaultPrevented) return true
  const taking =
    'input:not([type=checkbox]), textarea, select, [role=menu], [role=dialog], dialog, [aria-haspopup=menu][aria-expanded=true]'
  return target instanceof Element && target.closest(taking) !== null
}

/**
 * Keyboard control of the active row of a table. A row becomes active when it gets the focus, or with the keys j and k. Enter opens the
 * active row and Escape closes its preview, wherever the focus is. The row is remembered by its id, so a refresh of the table does not
 * make another row active.
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
      // If the active row was removed, the row after it is now at its index.
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
