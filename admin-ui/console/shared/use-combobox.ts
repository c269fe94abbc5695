import { useId, useState } from 'react'

/**
 * The list of a combobox, and the keys that move in it (WAI-ARIA, "list autocomplete with manual selection"). With `first` 0, Enter
 * selects the first option even if no key has moved before, and the list stops at both ends. With -1, no option is active at first, and
 * the list wraps around. Mantine's combobox is not used because it does not mark the active option as selected, and lets screen readers
 * read an option of an earlier search.
 */
export const useCombobox = (label: string, count: number, first: -1 | 0) => {
  const id = useId()
  const [moved, setMoved] = useState<number>(first)
  const active = Math.min(moved, count - 1)
  const next = (step: number) => {
    if (first === 0) return Math.max(0, Math.min(count - 1, active + step))
    return active < 0 && step < 0 ? count - 1 : (active + step + count) % count
  }
  return {
    active,
    reset: () => setMoved(first),
    /** Moves in the list if the key is one that moves, and returns whether it is. */
    moves: (key: string): boolean => {
      if (count === 0 || (key !== 'ArrowDown' && key !== 'ArrowUp')) return false
      setMoved(next(key === 'ArrowDown' ? 1 : -1))
      return true
    },
    input: {
      role: 'combobox',
      'aria-expanded': count > 0,
      'aria-controls': `${id}-list`,
      'aria-autocomplete': 'list',
      'aria-activedescendant': active >= 0 ? `${id}-${active}` : undefined,
      autoComplete: 'off',
      spellCheck: false,
    } as const,
    list: { id: `${id}-list`, role: 'listbox', 'aria-label': label },
    optionAt: (index: number) => ({ id: `${id}-${index}`, 'aria-selected': index === active }),
  }
}
