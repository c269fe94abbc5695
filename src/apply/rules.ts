import { isDeepStrictEqual } from 'node:util'
import type { ObjectKind } from './contract.ts'

/** The fields of an object, under the names that the administration API uses. */
export type Form = Readonly<Record<string, unknown>>

/** A field that differs. For a secret, only the name of the field is known. */
export interface FieldChange {
  readonly field: string
  readonly before?: unknown
  readonly after?: unknown
}

/** `kept` means that an earlier declaration contained the object and this one does not. Only `--prune` would delete it. */
export type Action = 'create' | 'update' | 'delete' | 'unchanged' | 'kept'

export interface Change {
  readonly kind: ObjectKind
  readonly key: string
  readonly action: Action
  readonly fields: FieldChange[]
  /** A text that names what is deleted together with the object. */
  readonly lost?: string
}

/** The fields whose values differ between `before` and `after`. */
export const changedFields = (before: Form, after: Form): readonly FieldChange[] =>
  Object.keys(after)
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, before: before[field], after: after[field] }))

/** Returns only the fields with the given names. */
export const pick = (from: Form, names: readonly string[]): Form => Object.fromEntries(names.map((name) => [name, from[name]]))

const signs: Readonly<Record<Action, string>> = { create: '+', update: '~', delete: '-', unchanged: '=', kept: '!' }

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const fieldLine = (action: Action, { field, before, after }: FieldChange): string => {
  if (before === undefined && after === undefined) return `${field}: ${action === 'create' ? 'set' : 'changed'}`
  return action === 'create' ? `${field}: ${shown(after)}` : `${field}: ${shown(before)} -> ${shown(after)}`
}

/** Describes the changes as text for the terminal. Unchanged objects are left out. */
export const describeChanges = (changes: readonly Change[]): string => {
  const lines = changes
    .filter(({ action }) => action !== 'unchanged')
    .flatMap(({ action, kind, key, fields, lost }) => [
      `${signs[action]} ${kind} ${key}${lost === undefined ? '' : `: ${lost}`}`,
      ...(action === 'kept' ? ['    the declaration names it no more; --prune deletes it'] : []),
      ...fields.map((field) => `    ${fieldLine(action, field)}`),
    ])
  return [...lines, countText(changes)].join('\n')
}

export const countOf = (changes: readonly Change[], action: Action): number =>
  changes.filter((change) => change.action === action).length

const countText = (changes: readonly Change[]): string => {
  const count = (action: Action) => countOf(changes, action)
  return `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete, ${count('unchanged')} unchanged.`
}

/** True when the declaration changes no object. */
export const isNothing = (changes: readonly Change[]): boolean =>
  changes.every(({ action }) => action === 'unchanged' || action === 'kept')
