/** Makes the rules of one theme apply, whatever the system's. */
const apply = (theme: 'light' | 'dark') => {
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSMediaRule && /prefers-color-scheme: ?dark/.test(rule.media.mediaText))
        rule.media.mediaText = theme === 'dark' ? 'all' : 'not all'
}

/** Shows the page light or dark; for other values like the system. Later style sheets are included. */
export const showTheme = (theme: string | null): void => {
  if (theme !== 'light' && theme !== 'dark') return
  document.documentElement.style.colorScheme = theme
  const again = () => apply(theme)
  again()
  new MutationObserver(again).observe(document.head, { childList: true, subtree: true })
  addEventListener('load', again)
}
