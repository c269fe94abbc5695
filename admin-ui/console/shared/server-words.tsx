import type { ReactNode } from 'react'
import { useI18n } from '../../shared/text.tsx'

type Values = Readonly<Record<string, string | number>>

const isInstant = (value: string | number): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)

/**
 * Returns a function that finds the text for a code from the server in the reader's language. For an unknown code it returns the server's
 * English text.
 */
export const useServerWords = () => {
  const { told, dateTime } = useI18n()
  return (key: string, values: Values, english: string): ReactNode => {
    const shown = Object.entries(values).map(([name, value]) => [name, isInstant(value) ? dateTime(value) : value] as const)
    return told(key, Object.fromEntries(shown)) ?? <span lang="en">{english}</span>
  }
}
