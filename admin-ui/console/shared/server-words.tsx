import type { ReactNode } from 'react'
import { useI18n } from '../../shared/text.tsx'

type Values = Readonly<Record<string, string | number>>

const isInstant = (value: string | number): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)

/** What the server says by code, in the language of the person; what a later server says as it says it, in English. */
export const useServerWords = () => {
  const { told, dateTime } = useI18n()
  return (key: string, values: Values, english: string): ReactNode => {
    const shown = Object.entries(values).map(([name, value]) => [name, isInstant(value) ? dateTime(value) : value] as const)
    return told(key, Object.fromEntries(shown)) ?? <span lang="en">{english}</span>
  }
}
