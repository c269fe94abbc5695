import { describe, expect, test } from 'vitest'
import { instancePermissions, instanceRoles } from '../../src/access/permissions.ts'
import { systemPrincipal } from '../../src/access/principal.ts'
import { createInstanceRoles, expandPermission, includesRole } from '../../src/access/roles.ts'
import { configSchema } from '../../src/composition.ts'
import { ConfigError, loadConfig } from '../../src/core/config.ts'
import { createRoleDirectory } from '../../src/identity/roles/service.ts'

const context = { address: '', userAgent: '', requestId: '' }
const roles = createInstanceRoles({ reader: { permissions: ['users:read', 'user-sessions:*'] } })

const problems = (custom: unknown): string => {
  try {
    loadConfig(configSchema, { env: {}, flags: { access: { roles: custom } } })
    return ''
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join('\n')
    throw error
  }
}

describe('permissions of roles', () => {
  test('several roles together give every permission that each role gives', () => {
    const given = roles.permissionsOfRoles('user,reader,support')
    expect([...given].sort()).toEqual(
      [...new Set(['users:read', 'user-sessions:read', 'user-sessions:delete', ...(instanceRoles['support'] ?? [])])].sort(),
    )
  })

  test('an unknown role gives no permission and takes none from the other roles', () => {
    for (const role of ['', ',', 'unknown', 'Admin', 'admin ', 'constructor', 'toString', '__proto__'])
      expect(roles.permissionsOfRoles(role).size, role).toBe(0)
    expect([...roles.permissionsOfRoles('unknown,reader')]).toEqual([...roles.permissionsOfRoles('reader')])
  })

  test('administrators have every instance permission, and auditors and support only some', () => {
    expect([...roles.permissionsOfRoles('admin')]).toEqual([...instancePermissions])
    expect([...roles.permissionsOfRoles('auditor')].every((name) => name.endsWith(':read'))).toBe(true)
    expect(
      [...roles.permissionsOfRoles('support')].filter((name) => /^(clients|api-keys|signing-keys|settings)/.test(name)),
    ).toEqual([])
  })

  test('a wildcard covers all permissions of one resource and of no other resource', () => {
    expect(expandPermission('users:*').every((name) => name.startsWith('users:'))).toBe(true)
    expect(expandPermission('users:*').length).toBeGreaterThan(3)
    for (const name of ['*', ':*', 'user:*', 'users', 'users:', 'users:r*', '*:read', 'account:*', 'organization:update'])
      expect(expandPermission(name), name).toEqual([])
  })
})

describe('callers who may give a role', () => {
  test('a principal covers a role exactly when the principal has every permission of the role', () => {
    const principal = {
      kind: 'application',
      ...context,
      actorId: 'c1',
      permissions: roles.permissionsOfRoles('support'),
    } as const
    expect(roles.coversRole(principal, 'support')).toBe(true)
    expect(roles.coversRole(principal, 'user')).toBe(true)
    expect(roles.coversRole(principal, 'reader')).toBe(true)
    expect(roles.coversRole(principal, 'support,auditor')).toBe(false)
    expect(roles.coversRole(principal, 'admin')).toBe(false)
    expect(roles.coversRole({ kind: 'anonymous', ...context }, 'user')).toBe(false)
    expect(roles.coversRole(systemPrincipal('r'), 'admin')).toBe(true)
  })

  test('roles that a caller names are stored once each in the given order, and an unknown role is refused by name', () => {
    const { parseRoles } = createRoleDirectory({ reader: { permissions: [] } })
    expect(parseRoles('admin,support,admin')).toBe('admin,support')
    expect(parseRoles(['reader', 'user'])).toBe('reader,user')
    for (const wrong of ['', 'boss', 'admin,', 'admin, support', 'Admin'])
      expect(() => parseRoles(wrong)).toThrow(expect.objectContaining({ code: 'ROLE_IS_NOT_KNOWN' }))
    expect(() => parseRoles([])).toThrow('one of: admin, auditor, support, user, reader')
    expect(() => parseRoles('user,boss')).toThrow('Role "boss" is not known')
  })

  test('a stored list of roles contains a role only by its whole name', () => {
    expect(includesRole('support,admin', 'admin')).toBe(true)
    expect(includesRole('administrator', 'admin')).toBe(false)
  })
})

describe('the configuration access.roles', () => {
  test('a custom role is read with its permissions and description', () => {
    const { access } = loadConfig(configSchema, {
      env: {},
      flags: { access: { roles: { helpdesk: { permissions: ['users:read', 'mails:*'], description: 'First line' } } } },
    })
    const helpdesk = createInstanceRoles(access.roles).all.at(-1)
    expect(helpdesk).toEqual({
      name: 'helpdesk',
      description: 'First line',
      isBuiltIn: false,
      permissions: ['users:read', 'mails:read', 'mails:update'],
    })
  })

  test('a custom role may replace auditor and support, but neither admin nor user', () => {
    expect(problems({ auditor: { permissions: ['events:read'] }, support: { permissions: [] } })).toBe('')
    for (const name of ['admin', 'user'])
      expect(problems({ [name]: { permissions: [] } })).toContain('built in and cannot be changed')
  })

  test('unknown keys, permissions that are unknown or not instance permissions, and invalid role names are refused at start with their position', () => {
    for (const permission of ['users:fly', 'account:read', 'team:update', '*', 'nothing:*'])
      expect(problems({ r: { permissions: [permission] } })).toMatch(/access\.roles\.r\.permissions.*users:\*/)
    expect(problems({ r: { permissions: [], rights: [] } })).toContain('access.roles.r.rights: unknown key')
    expect(problems({ r: { permissions: [], description: '' } })).toContain('access.roles.r.description')
    expect(problems({ 'a,b': { permissions: [] } })).toContain('a name of small letters')
    const long = Object.fromEntries(['a', 'b', 'c'].map((one) => [one.repeat(32), { permissions: [] }]))
    expect(problems(long)).toContain('at most 100 characters together')
  })
})
