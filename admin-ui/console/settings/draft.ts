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
  /** Keys whose stored value is removed. */
  readonly unset: readonly string[]
  /** Keys with invalid text. */
  readonly wrong: readonly string[]
}

export const noDraft: Draft = { set: {}, unset: [], wrong: [] }

const without = <T>(of: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(of).filter(([name]) => name !== key))

/** The draft without changes of a key. */
export const forget = (draft: Draft, key: string): Draft => ({
  set: without(draft.set, key),
  unset: draft.unset.filter((name) => name !== key),
  wrong: draft.wrong.filter((name) => name !== key),
})

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The draft with another value of a key. The value in effect counts as no change. Undefined removes the stored value. */
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

/** True if the person may change the setting here: the database can store it, and no other source overrides it. */
export const isEditable = ({ isRuntime, isLocked }: Pick<Setting, 'isRuntime' | 'isLocked'>): boolean => isRuntime && !isLocked

/** Shared by the fields of a form about settings. */
export interface SettingsFormValue {
  readonly settings: ReadonlyMap<string, Setting>
  readonly draft: Draft
  /** Undefined removes the stored value. */
  change(key: string, value: Value | undefined): void
  /** Records that the typed text of a key is invalid. */
  refuse(key: string): void
  /** Drops the changes of a key; its field stays as it is. */
  forgetTyped(key: string): void
  /** Discards the typed value of a key. */
  reset(key: string): void
  /** Removes the stored value of a key; its field shows the default. */
  toDefault(key: string): void
  /** Returns a text that changes whenever the field of a key has to show its value again. */
  roundOf(key: string): string
}

export const SettingsFormContext = createContext<SettingsFormValue | undefined>(undefined)

export const useSettingsForm = (): SettingsFormValue => {
  const value = use(SettingsFormContext)
  if (value === undefined) throw new Error('a field of a setting outside of SettingsForm')
  return value
}

/** A setting with its value in the draft. Undefined for an unknown key. */
export const useSetting = (key: string) => {
  const { settings, draft } = useSettingsForm()
  const setting = settings.get(key)
  if (setting === undefined) return undefined
  const isUnset = draft.unset.includes(key)
  const isChanged = Object.hasOwn(draft.set, key) || isUnset || draft.wrong.includes(key)
  return { setting, isChanged, value: isUnset ? setting.default : (draft.set[key] ?? setting.value) }
}
