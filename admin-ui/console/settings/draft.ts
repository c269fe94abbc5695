import { createContext, use } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import type { settingsContract } from '../../../src/settings/contract.ts'
import type { Answer } from '../../shared/api.ts'

type Settings = Answer<WireApi<typeof settingsContract>['listSettings']>
export type Setting = Settings['settings'][number]
export type Value = Setting['value']

/** Typed changes that are not saved yet. */
export interface Draft {
  readonly set: Readonly<Record<string, Value>>
  /** Configuration keys whose stored value is to be removed. */
  readonly unset: readonly string[]
  /** Configuration keys whose field contains invalid text. */
  readonly wrong: readonly string[]
}

export const noDraft: Draft = { set: {}, unset: [], wrong: [] }

const without = <T>(of: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(of).filter(([name]) => name !== key))

/** The draft without its change of the setting `key`. */
export const forget = (draft: Draft, key: string): Draft => ({
  set: without(draft.set, key),
  unset: draft.unset.filter((name) => name !== key),
  wrong: draft.wrong.filter((name) => name !== key),
})

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * The draft with the value `next` for a setting. If `next` is already in effect, the draft contains no change of the setting. If `next`
 * is undefined, the draft removes the stored value.
 */
export const withValue = (draft: Draft, { key, value, isSecret, stored }: Setting, next: Value | undefined): Draft => {
  const rest = forget(draft, key)
  if (next === undefined) return stored === null ? rest : { ...rest, unset: [...rest.unset, key] }
  return !isSecret && isSame(next, value) ? rest : { ...rest, set: { ...rest.set, [key]: next } }
}

export const withWrong = (draft: Draft, key: string): Draft => {
  const rest = forget(draft, key)
  return { ...rest, wrong: [...rest.wrong, key] }
}

export const changeCount = ({ set, unset, wrong }: Draft): number => Object.keys(set).length + unset.length + wrong.length

/** True if the setting can be changed in the console: the database can store it, and no other source, such as the environment, overrides it. */
export const isEditable = ({ isRuntime, isLocked }: Pick<Setting, 'isRuntime' | 'isLocked'>): boolean => isRuntime && !isLocked

/** What a settings form provides to the fields inside it. */
export interface SettingsFormValue {
  readonly settings: ReadonlyMap<string, Setting>
  readonly draft: Draft
  /** Puts a new value of a setting into the draft. Undefined means that the stored value is to be removed. */
  change(key: string, value: Value | undefined): void
  /** Records in the draft that the field of a setting contains invalid text. */
  refuse(key: string): void
  /** Removes a setting from the draft. The setting's field keeps its text. */
  forgetTyped(key: string): void
  /** Removes a setting from the draft. The setting's field shows the value in effect again. */
  reset(key: string): void
  /** Records in the draft that the stored value of a setting is to be removed. The setting's field shows the default. */
  toDefault(key: string): void
  /** Returns a text for a setting. When the text changes, the setting's field must show the present value in place of its own text. */
  roundOf(key: string): string
}

export const SettingsFormContext = createContext<SettingsFormValue | undefined>(undefined)

export const useSettingsForm = (): SettingsFormValue => {
  const value = use(SettingsFormContext)
  if (value === undefined) throw new Error('a field of a setting outside of SettingsForm')
  return value
}

/** A setting, and its value in the draft. Undefined for an unknown configuration key. */
export const useSetting = (key: string) => {
  const { settings, draft } = useSettingsForm()
  const setting = settings.get(key)
  if (setting === undefined) return undefined
  const isUnset = draft.unset.includes(key)
  const isChanged = Object.hasOwn(draft.set, key) || isUnset || draft.wrong.includes(key)
  return { setting, isChanged, value: isUnset ? setting.default : (draft.set[key] ?? setting.value) }
}
