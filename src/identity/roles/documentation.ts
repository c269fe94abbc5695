/** What the API document says besides the contract. */
export const roleDocumentation = {
  readAccess: {
    description:
      'Any signed-in person may ask: without a role that gives something, `permissions` is empty. Roles that give nothing are left out.',
    example: {
      response: {
        user: { id: 'u1', name: 'Ada Lovelace', email: 'ada@example.com', image: null, role: 'clerk' },
        permissions: ['customers:read'],
        lacksSecondFactor: false,
        impersonatedBy: null,
        sessionExpiresAt: '2026-12-01T09:15:00.000Z',
        roles: [{ name: 'clerk', permissions: ['customers:read'] }],
      },
    },
  },
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
