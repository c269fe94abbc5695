import { z } from 'zod'
import { instancePermissions, instanceRoles } from '../../access/permissions.ts'
import { administratorRole, defaultRole, expandPermission } from '../../access/roles.ts'
import { plainText } from '../../core/wire.ts'

/** Longest text that fits into the column with a user's roles. */
const longest = 100

const permission = z
  .string()
  .refine(
    (name) => expandPermission(name).length > 0,
    `a permission of the instance such as ${instancePermissions[0]}, or all of a resource such as users:*`,
  )

const role = z.strictObject({
  permissions: z.array(permission).max(200),
  description: plainText(200, 1).optional(),
})

/** Says why a role cannot have this name. Undefined if it can. */
const nameProblem = (name: string): string | undefined => {
  if (name === administratorRole || name === defaultRole) return 'another name: this role is built in and cannot be changed'
  return /^[a-z][a-z0-9_-]{0,31}$/.test(name) ? undefined : 'a name of small letters, digits, _ and - that begins with a letter'
}

export const accessConfig = z
  .strictObject({
    roles: z
      .record(z.string(), role)
      .superRefine((roles, context) => {
        const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
        for (const name of Object.keys(roles)) {
          const problem = nameProblem(name)
          if (problem !== undefined) refuse([name], problem)
        }
        // A user may have all roles at once, and they are stored in one column.
        if ([...new Set([...Object.keys(instanceRoles), ...Object.keys(roles)])].join(',').length > longest)
          refuse([], `names of at most ${longest} characters together, commas and built-in roles counted`)
      })
      .default({})
      .describe(
        'Custom roles of users on the instance, by name: `permissions` (a list of [permissions](roles.md), `users:*` is all of a resource) ' +
          'and `description`. One named auditor or support replaces the built-in role; admin and user cannot be changed.',
      ),
  })
  .prefault({})
export type AccessConfig = z.output<typeof accessConfig>
