import { useSyncExternalStore } from 'react'
import { keep, kept, onKept } from './kept.ts'

export type Appearance = 'system' | 'light' | 'dark'
export const appearances: readonly Appearance[] = ['system', 'light', 'dark']

const key = 'gatehouse.console.appearance'
const utcKey = 'gatehouse.console.utc'

export const chosenAppearance = (): Appearance => appearances.find((known) => known === kept(key)) ?? 'system'
const darkSystem = () => matchMedia('(prefers-color-scheme: dark)')
const isDark = (): boolean => {
  const chosen = chosenAppearance()
  return chosen === 'system' ? darkSystem().matches : chosen === 'dark'
}

const own = new WeakMap<CSSMediaRule, string>()

/**
 * Rewrites the media rules for the system's light and dark theme, so that they follow the theme that the person chose. Style sheets
 * therefore need no second set of rules for a chosen theme.
 */
const turnRules = (appearance: Appearance) => {
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSMediaRule)) continue
      const text = own.get(rule) ?? rule.media.mediaText
      if (!text.includes('prefers-color-scheme')) continue
      own.set(rule, text)
      const isWanted = text.includes('dark') === (appearance === 'dark')
      rule.media.mediaText = appearance === 'system' ? text : isWanted ? 'all' : 'not all'
    }
}

/** Applies the choices about the console's look that are stored in this browser. */
export const applyAppearance = (): void => {
  const appearance = chosenAppearance()
  turnRules(appearance)
  const scheme = appearance === 'system' ? 'light dark' : appearance
  document.documentElement.style.colorScheme = scheme
}

export const chooseAppearance = (appearance: Appearance): void => {
  keep(key, appearance)
  applyAppearance()
}

export const isUtc = (): boolean => kept(utcKey) === 'true'
export const chooseUtc = (utc: boolean): void => keep(utcKey, String(utc))

const subscribe = (listener: () => void) => {
  const system = darkSystem()
  const forget = onKept(listener)
  system.addEventListener('change', listener)
  return () => {
    system.removeEventListener('change', listener)
    forget()
  }
}

/** The person's present choices about the look of the console. */
export const usePreferences = () => ({
  appearance: useSyncExternalStore(subscribe, chosenAppearance),
  isDark: useSyncExternalStore(subscribe, isDark),
  isUtc: useSyncExternalStore(subscribe, isUtc),
})
