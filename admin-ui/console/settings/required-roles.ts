import type { Value } from './draft.ts'

/** The setting that says which roles of the instance need a second factor. */
export const requiredForKey = 'secondFactor.requiredFor'

/** Of a role: required, not required, or required as soon as one person with permissions has a second factor. */
export type RoleRequirement = 'required' | 'automatic' | 'none'

/** The roles that the setting names; undefined where it is automatic. */
const namedIn = (value: Value): readonly string[] | undefined => (Array.isArray(value) ? value.map(String) : undefined)

/** True where everybody needs a second factor: every account has the role `user`. */
export const isOfEverybody = (value: Value): boolean => namedIn(value)?.includes('user') === true

export const requirementOf = (value: Value, role: string, giving: readonly string[]): RoleRequirement => {
  const named = namedIn(value)
  if (named === undefined) return giving.includes(role) ? 'automatic' : 'none'
  return named.includes(role) || named.includes('user') ? 'required' : 'none'
}

/** The setting with these roles required or not. What was automatic for other roles with permissions stays required of them. */
export const withRequired = (
  value: Value,
  roles: readonly string[],
  isRequired: boolean,
  giving: readonly string[],
): readonly string[] => {
  const others = (namedIn(value) ?? giving).filter((name) => !roles.includes(name))
  return isRequired ? [...others, ...roles] : others
}
