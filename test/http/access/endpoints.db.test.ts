import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { can } from '../../../src/access/can.ts'
import { instancePermissions, type Permission, permissions } from '../../../src/access/permissions.ts'
import { type CurrentUser, type Principal, systemPrincipal } from '../../../src/access/principal.ts'
import { createInstanceRoles } from '../../../src/access/roles.ts'
import type { OwnerName } from '../../../src/api-keys/service.ts'
import type { Endpoint, PermittedAccess } from '../../../src/http/contract.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { goOn, machineToken, register } from '../oidc/flow.ts'
import { operator } from '../organizations/people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({
    config: {
      // Each endpoint is called with a key of its own.
      apiKeys: { limitPerUser: 1000, limitPerOrganization: 1000, limitOfInstance: 1000 },
      access: { roles: { clerk: { permissions: ['customers:read', 'deliveries:*'], description: 'Reads what was paid' } } },
    },
  })
})
afterAll(() => t.stop())

/** A kind of principal: how to make one, and why an endpoint refuses it. */
interface Row {
  /** A client of this kind. `name` is different for each call that would end the earlier client. */
  client(name: string): Promise<Client>
  /** The expected error, undefined when the call is allowed. It is computed here independently of the server. */
  expected(access: PermittedAccess): string | undefined
}

const idOf = async (email: string): Promise<string> =>
  ((await t.app.database.db.knex('user').where({ email }).first('id')) as { id: string }).id

/** A signed-in user with these roles. */
const signedInAs = async (role: string, name: string): Promise<Client> => {
  const email = `${name.toLowerCase()}-${role.replaceAll(',', '-')}@access.example`
  const client = await t.signedIn(email)
  await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))
  return client
}

/** A kind of principal with an account, and with the instance permissions of `allowed`. */
const person = (role: string, allowed: (permission: Permission) => boolean): Row => ({
  client: (name) => signedInAs(role, name),
  expected: ({ permission }) => (permissions[permission] === 'instance' && !allowed(permission) ? 'FORBIDDEN' : undefined),
})

/** A client that sends this token and no cookies. */
const withBearer = (token: string): Client => {
  const client = t.client()
  const request: Client['request'] = (path, init) =>
    client.request(path, { ...init, headers: { ...(init?.headers as object), authorization: `Bearer ${token}` } })
  return { ...client, request }
}

/** A machine whose client has the permissions of `has`. */
const machine = (has: (permission: Permission) => boolean): Row => ({
  client: async () => {
    const given = instancePermissions.filter(has)
    return withBearer(await machineToken(t, await register(t, { type: 'machine', redirectUris: [], permissions: given })))
  },
  expected: ({ permission, session }) => {
    if (permissions[permission] !== 'instance') return 'UNAUTHORIZED'
    return has(permission) && session === undefined ? undefined : 'FORBIDDEN'
  },
})

const letIn = async (): Promise<Client> => {
  const browser = await signedInAs('admin', 'commands')
  const post = async (path: string, form: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({ client_id: 'gatehouse-cli', ...form }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return (await t.client().request(path, { method: 'POST', body, headers })).json
  }
  const { user_code: userCode, device_code: code } = await post('/oauth2/device', { scope: 'openid administration' })
  const { json } = await browser.post('/oauth2/device/confirm', { userCode })
  await goOn(browser, await browser.request(String(json['redirectURI'])))
  const type = 'urn:ietf:params:oauth:grant-type:device_code'
  const { access_token: token } = await post('/oauth2/token', { grant_type: type, device_code: String(code) })
  return withBearer(String(token))
}
let letInOnce: Promise<Client> | undefined
/** A command line authorized by an administrator: everything of the administration except what only a browser may do. */
const commandLine: Row = {
  // All tests share one command line, because no call ends its session and a network may try only a few codes.
  client: () => (letInOnce ??= letIn()),
  expected: ({ permission, session }) => {
    if (permissions[permission] !== 'instance') return 'UNAUTHORIZED'
    return session === true ? 'FORBIDDEN' : undefined
  },
}

const nothing = () => false
const reads = (permission: Permission) => permission.endsWith(':read')
const bySupport: ReadonlySet<Permission> = new Set<Permission>([
  ...(['users:read', 'users:update', 'users:ban', 'user-sessions:read', 'user-sessions:delete', 'sign-ins:read'] as const),
  ...(['all-organizations:read', 'mails:read', 'mails:update', 'events:read', 'health:read'] as const),
])
const byClerk = (permission: Permission) => permission === 'customers:read' || permission.startsWith('deliveries:')

/** Everything that the person could read, and the active organization of the session. */
const byImpersonator: ReadonlySet<Permission> = new Set<Permission>([
  ...(['account:read', 'identities:read', 'sessions:read', 'sessions:update', 'consents:read', 'organizations:read'] as const),
  ...(['entitlements:read', 'organization:read', 'member:read', 'invitation:read', 'team:read', 'billing:read'] as const),
])

/** Permissions that no key can have. */
const withheld: ReadonlySet<Permission> = new Set<Permission>([
  ...(['account:delete', 'identities:update', 'provider-tokens:read', 'sessions:update', 'sessions:delete'] as const),
  ...(['consents:update', 'own-api-keys:read', 'own-api-keys:create', 'own-api-keys:update', 'own-api-keys:delete'] as const),
  ...(['api-key:create', 'api-key:update', 'api-keys:create', 'api-keys:update'] as const),
  ...(['users:set-password', 'users:impersonate'] as const),
])
const all = (Object.keys(permissions) as Permission[]).filter((permission) => !withheld.has(permission))
const ofAreas = (...areas: readonly string[]) => all.filter((permission) => areas.includes(permissions[permission]))

const newKey = async (owner: OwnerName, given: readonly Permission[]): Promise<string> =>
  (await t.app.apiKeys.create(operator, owner, { name: 'Test', permissions: given as never })).key

const withKey = (key: string): Client => {
  const client = t.client()
  return {
    ...client,
    request: (path, init = {}) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${key}`)
      return client.request(path, { ...init, headers })
    },
  }
}

/** A kind of API key with the permissions of `given`. `has` are those in effect. */
const apiKey = (
  owner: () => Promise<OwnerName>,
  given: readonly Permission[],
  has: (permission: Permission) => boolean = (permission) => given.includes(permission),
): Row => ({
  client: async () => withKey(await newKey(await owner(), given)),
  expected: ({ permission, fresh, session }) =>
    has(permission) && fresh !== true && session === undefined ? undefined : 'FORBIDDEN',
})

const keyOwner = (role: string) => async (): Promise<OwnerName> => {
  const email = `keys-${role}@access.example`
  const known = await t.app.database.db.knex('user').where({ email }).first('id')
  if (known === undefined) {
    await t.signedIn(email)
    await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))
  }
  return { kind: 'user', user: email }
}
const keyOrganization = async (): Promise<OwnerName> => {
  const known = await t.app.database.db.knex('organization').where({ slug: 'access-keys' }).first('id')
  if (known === undefined) await t.app.organizations.createFor(operator, { name: 'Keys', slug: 'access-keys' }, undefined)
  return { kind: 'organization', organization: 'access-keys' }
}
const instance = async (): Promise<OwnerName> => ({ kind: 'instance' })

/** A session whose last proof is more than a day old. */
const withOldProof = async (role: string, name: string): Promise<Client> => {
  const client = await signedInAs(role, `${name}-old`)
  const provenAt = new Date(t.app.core.clock.now().getTime() - 90_000_000)
  const userId = await idOf(`${name.toLowerCase()}-old-${role}@access.example`)
  await t.app.core.transact((tx) => tx.knex('session').where({ user_id: userId }).update({ proven_at: provenAt }))
  return client
}

/** The table: every kind of principal that a request can have, with more or fewer permissions. */
const rows = {
  anonymous: { client: async () => t.client(), expected: () => 'UNAUTHORIZED' },
  person: person('user', nothing),
  'person with a session that is not fresh': {
    client: (name) => withOldProof('user', name),
    expected: ({ permission, fresh }) => {
      if (permissions[permission] === 'instance') return 'FORBIDDEN'
      return fresh === undefined ? undefined : 'SESSION_IS_NOT_FRESH'
    },
  },
  'administrator with a session that is not fresh': {
    client: (name) => withOldProof('admin', name),
    expected: ({ fresh }) => (fresh === undefined ? undefined : 'SESSION_IS_NOT_FRESH'),
  },
  'administrator without a second factor that is due': {
    client: async (name) => {
      const client = await signedInAs('admin', `${name}-due`)
      const email = `${name.toLowerCase()}-due-admin@access.example`
      await t.app.core.transact((tx) =>
        tx
          .knex('user')
          .where({ email })
          .update({ second_factor_due: new Date(0) }),
      )
      return client
    },
    expected: ({ permission }) => (permissions[permission] === 'instance' ? 'SECOND_FACTOR_REQUIRED' : undefined),
  },
  'member of an organization': {
    client: async (name) => {
      const client = await signedInAs('user', `${name}-member`)
      await client.post('/organization/create', { name: 'Acme', slug: `access-${name.toLowerCase()}` })
      return client
    },
    expected: ({ permission }) => (permissions[permission] === 'instance' ? 'FORBIDDEN' : undefined),
  },
  support: person('support', (permission) => bySupport.has(permission)),
  auditor: person('auditor', reads),
  administrator: person('admin', () => true),
  'administrator who impersonates a person': {
    client: async (name) => {
      await signedInAs('user', `${name}-impersonated`)
      const client = await signedInAs('admin', `${name}-impersonating`)
      const userId = await idOf(`${name.toLowerCase()}-impersonated-user@access.example`)
      const { status } = await client.post('/admin/impersonate-user', { userId })
      if (status !== 200) throw new Error(`not impersonated: ${status}`)
      return client
    },
    expected: ({ permission }) => (byImpersonator.has(permission) ? undefined : 'FORBIDDEN'),
  },
  'user with a custom role': person('clerk', byClerk),
  'user with several roles': person('clerk,support', (permission) => byClerk(permission) || bySupport.has(permission)),
  'user with an unknown role': person('forgotten', nothing),
  'API key of an administrator with every permission': apiKey(keyOwner('admin'), all),
  'API key of a person with permissions that their roles do not give': apiKey(keyOwner('auditor'), all, (permission) =>
    permissions[permission] === 'instance' ? reads(permission) : all.includes(permission),
  ),
  'API key of an organization with every permission': apiKey(keyOrganization, ofAreas('organization')),
  'API key of the instance with every permission': apiKey(instance, ofAreas('instance')),
  'API key of a person without the permission': apiKey(keyOwner('admin'), ['health:read']),
  'API key of an organization without the permission': apiKey(keyOrganization, ['billing:read']),
  'API key of the instance without the permission': apiKey(instance, ['health:read']),
  'machine with every permission a machine can have': machine(
    (permission) => permission !== 'users:impersonate' && !permission.startsWith('backups:'),
  ),
  'machine with a few permissions': machine(byClerk),
  'machine without permissions': machine(nothing),
  'command line of an administrator': commandLine,
} as const satisfies Readonly<Record<string, Row>>

/** A kind of principal without a row does not compile here. */
const rowOfKind: Readonly<Record<Exclude<Principal['kind'], 'system'>, keyof typeof rows>> = {
  ...{ anonymous: 'anonymous', user: 'person', 'api-key': 'API key of the instance with every permission' },
  application: 'machine with a few permissions',
}
test('every kind of principal that a request can have has a row in the table of this test', () => {
  expect(Object.values(rowOfKind).every((name) => Object.hasOwn(rows, name))).toBe(true)
})

/** Calls an endpoint with a body that no schema accepts, so that an allowed call changes nothing. */
const call = (client: Client, { method, path, encoding }: Endpoint) => {
  const type = encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  const init = method === 'GET' ? {} : { body: encoding === 'form' ? 'x=1' : '[]', headers: { 'content-type': type } }
  return client.request(path.replaceAll(/:\w+/g, 'none'), { method, ...init })
}

for (const [kind, row] of Object.entries<Row>(rows))
  test(`a principal of the kind "${kind}" has access to exactly the endpoints whose permission the kind can have`, async () => {
    const shared = await row.client('all')
    const gate = ['UNAUTHORIZED', 'FORBIDDEN', 'SESSION_IS_NOT_FRESH', 'SECOND_FACTOR_REQUIRED']
    const wrong: string[] = []
    for (const { name, endpoint } of t.app.routes) {
      // Public endpoints decide by themselves, and have their own tests.
      if (typeof endpoint.access === 'string') continue
      const expected = row.expected(endpoint.access)
      // An allowed call without a body takes effect, and may end the session.
      const isCarriedOut = expected === undefined && endpoint.method !== 'GET' && endpoint.body === undefined
      const { json } = await call(isCarriedOut ? await row.client(name) : shared, endpoint)
      const code = String((json as typeof json | null)?.['code'])
      // Better Auth's calls each have a code of their own.
      const answered = gate.find((one) => one === code || (one === 'FORBIDDEN' && code.startsWith('YOU_ARE_NOT_ALLOWED_TO_')))
      if (answered !== expected) wrong.push(`${name}: ${answered ?? 'let in'}`)
    }
    expect(wrong).toEqual([])
  })

test('every administration endpoint names an instance permission', () => {
  // Calls about the session of the caller.
  const own = ['/admin/access', '/admin/stop-impersonating', '/admin/has-permission']
  const open = t.app.routes.filter(({ endpoint }) => /^\/admin\//.test(endpoint.path) && !own.includes(endpoint.path))
  expect(open.length).toBeGreaterThan(0)
  for (const { endpoint } of open)
    expect(typeof endpoint.access === 'string' ? endpoint.access : permissions[endpoint.access.permission]).toBe('instance')
})

describe('the function can', () => {
  const source = { address: '', userAgent: '', requestId: '' }
  const at = new Date(0)
  const user = (role: string): CurrentUser => ({
    ...{ id: 'u1', name: 'Ann', email: 'ann@access.example', emailVerified: true, image: null, role, language: null },
    ...{ username: null, twoFactorEnabled: false, fields: {}, createdAt: at, updatedAt: at },
  })
  const session = {
    ...{ id: 's1', token: 't', userId: 'u1', expiresAt: at, createdAt: at, updatedAt: at, ipAddress: '', userAgent: '' },
    ...{ rememberMe: true, activeOrganizationId: null, activeTeamId: null, impersonatedBy: null },
    ...{ factors: 1, provenAt: at, lacksSecondFactor: false },
  }
  const roles = createInstanceRoles({ clerk: { permissions: ['deliveries:*'] } })
  const signedIn = (role: string): Principal => {
    const given = roles.permissionsOfRoles(role)
    return { kind: 'user', ...source, user: user(role), session, permissions: given }
  }
  const application: Principal = {
    ...{ kind: 'application', ...source, actorId: 'c1', permissions: roles.permissionsOfRoles('admin') },
  }
  const all = Object.keys(permissions) as Permission[]
  const inArea = (area: string) => all.filter((permission) => permissions[permission] === area)

  test('an anonymous principal has no permission, and the system principal has all permissions', () => {
    for (const permission of all) {
      expect(can({ kind: 'anonymous', ...source }, permission)).toBe(false)
      expect(can(systemPrincipal('r'), permission)).toBe(true)
    }
  })

  test('a user can have an account permission only for their own account', () => {
    for (const permission of inArea('account')) {
      expect(can(signedIn('user'), permission, { ownerId: 'u1' })).toBe(true)
      expect(can(signedIn('admin'), permission, { ownerId: 'u2' })).toBe(false)
      expect(can(signedIn('admin'), permission, { allows: () => true })).toBe(false)
    }
  })

  test('a user can have an organization permission through their membership, whatever their instance role', () => {
    for (const permission of inArea('organization')) {
      expect(can(signedIn('user'), permission, { allows: (asked) => asked === permission })).toBe(true)
      expect(can(signedIn('admin'), permission, { allows: () => false })).toBe(false)
      expect(can(signedIn('admin'), permission, { ownerId: 'u1' })).toBe(false)
    }
  })

  test('a user can have an instance permission only through a role that gives the permission', () => {
    for (const permission of inArea('instance')) {
      expect(can(signedIn('admin'), permission)).toBe(true)
      expect(can(signedIn('user,clerk'), permission)).toBe(permission.startsWith('deliveries:'))
      for (const role of ['user', '', 'constructor', 'toString', 'Admin', 'admin user', 'unknown'])
        expect(can(signedIn(role), permission)).toBe(false)
    }
  })

  test('an application can have instance permissions, but no account or organization permissions', () => {
    for (const permission of all) {
      expect(can(application, permission)).toBe(permissions[permission] === 'instance')
      expect(can(application, permission, { ownerId: 'c1' })).toBe(permissions[permission] === 'instance')
    }
    for (const permission of inArea('organization')) expect(can(application, permission, { allows: () => true })).toBe(false)
  })
})
