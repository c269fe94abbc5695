import type { Value } from './draft.ts'

/** The setting for roles that need a second factor. */
export const requiredForKey = 'secondFactor.requiredFor'

/** The requirement of a role. `automatic` requires a second factor as soon as one person with permissions has one. */
export type RoleRequirement = 'required' | 'automatic' | 'none'

/** The roles in the setting; undefined for the automatic value. */
const namedIn = (value: Value): readonly string[] | undefined => (Array.isArray(value) ? value.map(String) : undefined)

/** True if everybody needs a second factor: every account has the role `user`. */
export const isOfEverybody = (value: Value): boolean => namedIn(value)?.includes('user') === true

export const requirementOf = (value: Value, role: string, giving: readonly string[]): RoleRequirement => {
  const named = namedIn(value)
  if (named === undefined) return giving.includes(role) ? 'automatic' : 'none'
  return named.includes(role) || named.includes('user') ? 'required' : 'none'
}

/** The setting with a changed requirement for these roles. If other roles were required automatically, the setting now names them. */
export const withRequired = (
  value: Value,
  roles: readonly string[],
  isRequired: boolean,
  giving: readonly string[],
): readonly string[] => {
  const others = (namedIn(value) ?? giving).filter((name) => !roles.includes(name))
  return isRequired ? [...others, ...roles] : others
}
