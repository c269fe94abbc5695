import { type Permission, permissions } from '../../access/permissions.ts'
import { bind } from '../../http/handlers.ts'
import type { OrganizationsConfig } from '../config.ts'
import { allowsPermission, canAssign, defaultRoles, type RoleTable } from '../rules.ts'
import { organizationRoleContract } from './contract.ts'

const ofOrganizations = Object.entries(permissions).flatMap(([name, area]) =>
  area === 'organization' ? [name as Permission] : [],
)

export const organizationRoleRoutes = (table: RoleTable, { roles: custom, teamsEnabled }: OrganizationsConfig) =>
  bind(organizationRoleContract, {
    listOrganizationRoles: () => {
      const names = [...table.roles.keys()]
      const roles = names.map((name) => {
        const role = new Set([name])
        return {
          name,
          isBuiltIn: Object.hasOwn(defaultRoles, name) && !Object.hasOwn(custom, name),
          permissions: ofOrganizations.filter((permission) => allowsPermission(table, role, permission)),
          givenBy: names.filter((other) => {
            const theirs = new Set([other])
            return allowsPermission(table, theirs, 'member:update') && canAssign(table, theirs, role)
          }),
        }
      })
      return { roles, creatorRole: table.creatorRole, permissions: [...ofOrganizations], teamsEnabled }
    },
  })
