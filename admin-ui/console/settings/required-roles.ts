import type { Value } from './draft.ts'

/** The configuration key of the list of roles that need a second factor. */
export const requiredForKey = 'secondFactor.requiredFor'

/** Whether a role needs a second factor. With `automatic`, the role needs one as soon as any person with permissions has set one up. */
export type RoleRequirement = 'required' | 'automatic' | 'none'

/** The roles in the setting's value. Undefined if the value is `auto`. */
const namedIn = (value: Value): readonly string[] | undefined => (Array.isArray(value) ? value.map(String) : undefined)

/** True if every account needs a second factor. That is so if the setting names the role `user`, which every account has. */
export const isOfEverybody = (value: Value): boolean => namedIn(value)?.includes('user') === true

export const requirementOf = (value: Value, role: string, giving: readonly string[]): RoleRequirement => {
  const named = namedIn(value)
  if (named === undefined) return giving.includes(role) ? 'automatic' : 'none'
  return named.includes(role) || named.includes('user') ? 'required' : 'none'
}

/**
 * The setting's new value after the requirement of `roles` has changed. If the setting was automatic before, the new value also names the
 * other roles that grant permissions, so that they stay required.
 */
export const withRequired = (
  value: Value,
  roles: readonly string[],
  isRequired: boolean,
  giving: readonly string[],
): readonly string[] => {
  const others = (namedIn(value) ?? giving).filter((name) => !roles.includes(name))
  return isRequired ? [...others, ...roles] : others
}
