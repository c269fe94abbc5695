import { isDeepStrictEqual } from 'node:util'
import type { ConfigKey } from '../core/config-keys.ts'
import { isWeaker, shownValue } from '../core/settings.ts'

/** The value that each setting should have, by configuration key. Undefined means that the stored value is to be removed. */
export type Wanted = ReadonlyMap<string, unknown>

/** A setting whose stored value is added, replaced or removed. */
export interface Difference {
  readonly key: ConfigKey
  readonly name: string
  /** The stored value before the change. Undefined if none was stored. */
  readonly before: unknown
  readonly after: unknown
}

/** The settings whose stored value would change. */
export const differencesOf = (
  wanted: Wanted,
  stored: ReadonlyMap<string, unknown>,
  keyOf: (name: string) => ConfigKey,
): readonly Difference[] =>
  [...wanted]
    .filter(([name, after]) => !isDeepStrictEqual(stored.get(name), after))
    .map(([name, after]) => ({ key: keyOf(name), name, before: stored.get(name), after }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** A difference as it is displayed. */
export const describe = ({ key, name, before, after }: Difference) => ({
  ...{ key: name, isSecret: key.secret, before: shownValue(key, before), after: shownValue(key, after) },
  ...{ wasStored: before !== undefined, isStored: after !== undefined, lowersSecurity: isWeaker(key, before, after) },
})

export type DescribedChange = ReturnType<typeof describe>
