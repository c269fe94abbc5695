/** Makes the rules of one theme apply, whatever the theme of the system is. */
const apply = (theme: 'light' | 'dark') => {
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSMediaRule && /prefers-color-scheme: ?dark/.test(rule.media.mediaText))
        rule.media.mediaText = theme === 'dark' ? 'all' : 'not all'
}

/** Shows the page in the light or dark theme. For any other value it follows the system. Style sheets that load later are included. */
export const showTheme = (theme: string | null): void => {
  if (theme !== 'light' && theme !== 'dark') return
  document.documentElement.style.colorScheme = theme
  const again = () => apply(theme)
  again()
  new MutationObserver(again).observe(document.head, { childList: true, subtree: true })
  addEventListener('load', again)
}
