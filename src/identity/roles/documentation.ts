/** What the API document says besides the contract. */
export const roleDocumentation = {
  listInstanceRoles: {
    description: 'Built-in roles first, then those of `access.roles`. A role is given with `/admin/set-role`.',
    example: {
      response: {
        roles: [
          {
            name: 'clerk',
            description: 'Reads what was paid.',
            isBuiltIn: false,
            permissions: ['customers:read', 'deliveries:read'],
          },
        ],
      },
    },
  },
  listPermissions: { example: { response: { permissions: [{ name: 'users:read', area: 'instance' }] } } },
}
