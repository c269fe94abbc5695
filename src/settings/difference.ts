import { isDeepStrictEqual } from 'node:util'
import type { ConfigKey } from '../core/config-keys.ts'
import { isWeaker, shownValue } from '../core/settings.ts'

/** The wanted value of each key. Undefined removes the stored value. */
export type Wanted = ReadonlyMap<string, unknown>

/** A key whose stored value is added, replaced or removed. */
export interface Difference {
  readonly key: ConfigKey
  readonly name: string
  /** Undefined if the value is not stored. */
  readonly before: unknown
  readonly after: unknown
}

/** The keys whose stored value the change would alter. */
export const differencesOf = (
  wanted: Wanted,
  stored: ReadonlyMap<string, unknown>,
  keyOf: (name: string) => ConfigKey,
): readonly Difference[] =>
  [...wanted]
    .filter(([name, after]) => !isDeepStrictEqual(stored.get(name), after))
    .map(([name, after]) => ({ key: keyOf(name), name, before: stored.get(name), after }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** A difference in the form in which it is displayed. */
export const describe = ({ key, name, before, after }: Difference) => ({
  ...{ key: name, isSecret: key.secret, before: shownValue(key, before), after: shownValue(key, after) },
  ...{ wasStored: before !== undefined, isStored: after !== undefined, lowersSecurity: isWeaker(key, before, after) },
})

export type DescribedChange = ReturnType<typeof describe>
