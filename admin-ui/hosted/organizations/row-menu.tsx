import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import type { RowActionsProps } from '../../shared/organizations/panels.tsx'
import { useI18n } from '../../shared/text.tsx'

type Edge = 'first' | 'last'

/**
 * The index of the menu item that a pressed key moves to. A letter moves to the next item that begins with it. Undefined for keys that
 * move nowhere.
 */
const targetOf = (key: string, at: number, labels: readonly string[]): number | undefined => {
  const count = labels.length
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at - 1 + count) % count
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  if ([...key].length !== 1) return undefined
  const letter = key.toLocaleLowerCase()
  const order = labels.map((_, step) => (at + 1 + step) % count)
  return order.find((index) => labels[index]?.toLocaleLowerCase().startsWith(letter))
}

/** A button that opens a menu of actions on a row (ARIA pattern "menu button"). Renders nothing without actions. */
export const RowMenu = ({ of, actions, working }: RowActionsProps) => {
  const { t } = useI18n()
  const id = useId()
  const [opened, setOpened] = useState<Edge>()
  const wrapper = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const items = () => [...(wrapper.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]

  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu keeps the items that it had when it opened.
  useEffect(() => {
    if (opened === undefined) return
    items()
      .at(opened === 'first' ? 0 : -1)
      ?.focus()
    const closeOutside = ({ target }: PointerEvent) => {
      if (!(target instanceof Node && wrapper.current?.contains(target))) setOpened(undefined)
    }
    document.addEventListener('pointerdown', closeOutside)
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [opened])

  const close = () => {
    setOpened(undefined)
    button.current?.focus()
  }
  const onButtonKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    if (!working) setOpened(event.key === 'ArrowDown' ? 'first' : 'last')
  }
  const onMenuKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return close()
    if (event.key === 'Tab') return setOpened(undefined)
    // The space bar activates an item, as on a button, so a space is not used to search for an item.
    if (event.key === ' ' || event.ctrlKey || event.metaKey || event.altKey) return
    const all = items()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const target = targetOf(
      event.key,
      at,
      actions.map(({ label }) => label),
    )
    if (target === undefined) return
    event.preventDefault()
    all[target]?.focus()
  }
  if (actions.length === 0) return null
  return (
    <div ref={wrapper} className="row-menu">
      <button
        ref={button}
        type="button"
        className="row-menu-button"
        aria-label={t('menu.actionsFor', { name: of })}
        aria-haspopup="menu"
        aria-expanded={opened !== undefined}
        aria-controls={opened === undefined ? undefined : id}
        aria-busy={working}
        aria-disabled={working}
        onKeyDown={onButtonKey}
        onClick={() => {
          if (!working) setOpened(opened === undefined ? 'first' : undefined)
        }}
      >
        {working ? <span className="spinner" aria-hidden="true" /> : <Icon name="more" />}
      </button>
      {opened === undefined ? null : (
        <div id={id} role="menu" className="row-menu-list" aria-label={t('menu.actionsFor', { name: of })} onKeyDown={onMenuKey}>
          {actions.map(({ label, name, onSelect }) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className="row-menu-item"
              aria-label={name}
              onClick={() => {
                // The menu closes first, which moves the focus to the menu button. A dialog opened by the action can then return the
                // focus to that button.
                close()
                onSelect()
              }}
            >
              {label}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
