import { createContext, use } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import type { settingsContract } from '../../../src/settings/contract.ts'
import type { Answer } from '../../shared/api.ts'

type Settings = Answer<WireApi<typeof settingsContract>['listSettings']>
export type Setting = Settings['settings'][number]
export type Value = Setting['value']

/** What is typed and not saved yet. */
export interface Draft {
  readonly set: Readonly<Record<string, Value>>
  /** Keys that are to be stored no more. */
  readonly unset: readonly string[]
  /** Keys whose text is no value. */
  readonly wrong: readonly string[]
}

export const noDraft: Draft = { set: {}, unset: [], wrong: [] }

const without = <T>(of: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(of).filter(([name]) => name !== key))

/** The draft without anything about a key. */
export const forget = (draft: Draft, key: string): Draft => ({
  set: without(draft.set, key),
  unset: draft.unset.filter((name) => name !== key),
  wrong: draft.wrong.filter((name) => name !== key),
})

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The draft with another value of a key; none where it is the value in effect. Undefined: stored no more. */
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

/** True where the person may change the setting here: it can be stored, and nothing above the database sets it. */
export const isEditable = ({ isRuntime, isLocked }: Pick<Setting, 'isRuntime' | 'isLocked'>): boolean => isRuntime && !isLocked

/** What the fields of a form about settings know. */
export interface SettingsFormValue {
  readonly settings: ReadonlyMap<string, Setting>
  readonly draft: Draft
  /** Undefined: the key is to be stored no more. */
  change(key: string, value: Value | undefined): void
  /** The text of a key is no value. */
  refuse(key: string): void
  /** Nothing is typed about a key any more; its field stays as it is. */
  forgetTyped(key: string): void
  /** What is typed about a key is given up. */
  reset(key: string): void
  /** The key is to be stored no more, and its field shows the default. */
  toDefault(key: string): void
  /** Another one whenever the field of a key has to take up its value anew. */
  roundOf(key: string): string
}

export const SettingsFormContext = createContext<SettingsFormValue | undefined>(undefined)

export const useSettingsForm = (): SettingsFormValue => {
  const value = use(SettingsFormContext)
  if (value === undefined) throw new Error('a field of a setting outside of SettingsForm')
  return value
}

/** A setting with its value in the draft. Undefined where there is no such key. */
export const useSetting = (key: string) => {
  const { settings, draft } = useSettingsForm()
  const setting = settings.get(key)
  if (setting === undefined) return undefined
  const isUnset = draft.unset.includes(key)
  const isChanged = Object.hasOwn(draft.set, key) || isUnset || draft.wrong.includes(key)
  return { setting, isChanged, value: isUnset ? setting.default : (draft.set[key] ?? setting.value) }
}
