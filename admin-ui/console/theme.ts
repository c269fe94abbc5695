import type { CSSVariablesResolver } from '@mantine/core'
import { createTheme, Drawer, Menu, Modal, Popover, Tooltip } from '@mantine/core'

/** Moves the focus into an open menu. Mantine also does this, but on slow machines too early, when the menu has no position yet. */
const focusMenu = () => {
  const menu = document.querySelector('[role=menu]')
  if (menu?.contains(document.activeElement) === false)
    menu.querySelector<HTMLElement>('[data-menu-item]:not(:disabled)')?.focus({ preventScroll: true })
}

/**
 * The look of Mantine's components. Their colours are gatehouse's tokens (`styles/mantine.css`). The content policy forbids `style`
 * elements, so every function of Mantine that would insert one is switched off: variables set by script, responsive style props, and the
 * lock of the scroll bar.
 */
export const theme = createTheme({
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Drawer: Drawer.extend({
      defaultProps: { lockScroll: false, withCloseButton: false, padding: 0, transitionProps: { duration: 140 } },
    }),
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true, transitionProps: { duration: 120 } } }),
    Menu: Menu.extend({
      defaultProps: {
        withinPortal: false,
        withInitialFocusPlaceholder: false,
        shadow: 'md',
        position: 'bottom-end',
        transitionProps: { duration: 100 },
        onEnterTransitionEnd: () => requestAnimationFrame(focusMenu),
      },
    }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md', transitionProps: { duration: 100 } } }),
    Tooltip: Tooltip.extend({
      defaultProps: {
        withinPortal: false,
        openDelay: 250,
        multiline: true,
        maw: 320,
        events: { hover: true, focus: true, touch: true },
      },
    }),
  },
})

/** Returns no variables, because `styles/mantine.css` already contains them. */
export const noVariables: CSSVariablesResolver = () => ({ variables: {}, light: {}, dark: {} })
