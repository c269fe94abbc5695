import { createInstanceRoles, type InstanceRoles, type RoleConfig } from '../../access/roles.ts'
import { roleErrors } from './contract.ts'

/** Knows the roles of this instance, and checks names of roles. */
export interface RoleDirectory extends InstanceRoles {
  /**
   * Turns a list of roles, or text with commas, into the text that is stored. A repeated role is stored once. Throws ROLE_IS_NOT_KNOWN;
   * its message names the unknown role and the known roles.
   */
  parseRoles(input: string | readonly string[]): string
}

export const createRoleDirectory = (custom: Readonly<Record<string, RoleConfig>>): RoleDirectory => {
  const roles = createInstanceRoles(custom)
  const known = roles.all.map(({ name }) => name).join(', ')
  return {
    ...roles,
    parseRoles: (input) => {
      const names = [input].flat().flatMap((part) => part.split(','))
      if (names.length === 0) throw roleErrors.error('ROLE_IS_NOT_KNOWN', { message: `A role is needed, one of: ${known}` })
      for (const name of names)
        if (!roles.isKnownRole(name))
          throw roleErrors.error('ROLE_IS_NOT_KNOWN', {
            message: `Role ${JSON.stringify(name.slice(0, 64))} is not known; roles are: ${known}`,
          })
      return [...new Set(names)].join(',')
    },
  }
}
