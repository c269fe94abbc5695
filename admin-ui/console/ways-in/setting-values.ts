import type { WireApi } from '../../../src/http/contract.ts'
import type { settingsContract } from '../../../src/settings/contract.ts'
import type { Answer } from '../../shared/api.ts'
import type { I18n } from '../../shared/i18n.ts'

export type Setting = Answer<WireApi<typeof settingsContract>['listSettings']>['settings'][number]

/** The key of the text that describes a setting. Operators choose the ids of identity providers, so the id is left out of the key. */
export const textKeyOf = (key: string): string => `settings.${key.replace(/^social\.[^.]+\./, 'social.<NAME>.')}`

/** Units of durations. A duration is shown in the largest unit that divides it. */
const lengths = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const unitText = (locale: string, unit: string, count: number) =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)

/** Formats seconds as a duration, such as "7 days". */
export const durationText = (locale: string, seconds: number): string => {
  const [unit, length] = lengths.find(([, size]) => seconds >= size && seconds % size === 0) ?? (['second', 1] as const)
  return unitText(locale, unit, seconds / length)
}

/** Formats the value of a setting: switches as on or off, and numbers with their unit. */
export const valueText = (key: string, value: Setting['value'], { t, locale, list }: I18n): string => {
  if (value === null) return t('ways.notSet')
  if (typeof value === 'boolean') return t(value ? 'ways.on' : 'ways.off')
  if (Array.isArray(value)) return value.length === 0 ? t('console.none') : list(value.map(String))
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value)
  if (key.endsWith('Seconds')) return durationText(locale, value)
  if (key.endsWith('Days')) return unitText(locale, 'day', value)
  return new Intl.NumberFormat(locale).format(value)
}

const shellValue = (value: Setting['value']): string => {
  if (value === null) return ''
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(',')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A shell assignment that sets the environment variable of a setting to its value. */
export const variableOf = ({ variable, value }: Pick<Setting, 'variable' | 'value'>): string => `${variable}=${shellValue(value)}`

/** True if the configuration file, the environment or an option of the daemon sets the value. The console cannot change such a setting. */
export const isLocked = ({ isLocked: is }: Pick<Setting, 'isLocked'>): boolean => is
