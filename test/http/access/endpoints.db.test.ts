import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { can } from '../../../src/access/can.ts'
import { instanceRoles, type Permission, permissions } from '../../../src/access/permissions.ts'
import { type CurrentUser, type Principal, systemPrincipal } from '../../../src/access/principal.ts'
import type { Endpoint } from '../../../src/http/contract.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const kinds = ['nobody', 'user', 'user with an old session', 'administrator'] as const
type Kind = (typeof kinds)[number]

/** The error that keeps a principal out of an endpoint; undefined when it gets in. Written anew here, not asked of the server. */
const expected = (kind: Kind, { access }: Endpoint): string | undefined => {
  if (typeof access === 'string') return undefined
  if (kind === 'nobody') return 'UNAUTHORIZED'
  if (permissions[access.permission] === 'instance' && kind !== 'administrator') return 'FORBIDDEN'
  return access.fresh === true && kind === 'user with an old session' ? 'SESSION_IS_NOT_FRESH' : undefined
}

const clientOf = async (kind: Kind, name: string): Promise<Client> => {
  if (kind === 'nobody') return t.client()
  const email = `${name.toLowerCase()}-${kind.replaceAll(' ', '-')}@access.example`
  const client = await t.signedIn(email)
  if (kind === 'administrator') await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role: 'admin' }))
  if (kind === 'user with an old session') {
    const { id } = (await t.app.database.db.knex('user').where({ email }).first('id')) as { id: string }
    const createdAt = new Date(t.app.core.clock.now().getTime() - 90_000_000)
    await t.app.core.transact((tx) => tx.knex('session').where({ user_id: id }).update({ created_at: createdAt }))
  }
  return client
}

/** Calls an endpoint with a body that no schema takes, so that whoever gets in changes nothing. */
const call = (client: Client, { method, path, encoding }: Endpoint) => {
  const type = encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  const init = method === 'GET' ? {} : { body: encoding === 'form' ? 'x=1' : '[]', headers: { 'content-type': type } }
  return client.request(path.replaceAll(/:\w+/g, 'none'), { method, ...init })
}

describe.each(kinds)('%s', (kind) => {
  test(`a principal of the kind "${kind}" reaches exactly the endpoints whose permission it can have`, async () => {
    const shared = await clientOf(kind, 'all')
    const gate = ['UNAUTHORIZED', 'FORBIDDEN', 'SESSION_IS_NOT_FRESH']
    const wrong: string[] = []
    for (const { name, endpoint } of t.app.routes) {
      // Public endpoints decide by themselves; they are called in their own tests.
      if (typeof endpoint.access === 'string') continue
      // A call that reads no body is carried out, and may end the session.
      const client = endpoint.method === 'GET' || endpoint.body !== undefined ? shared : await clientOf(kind, name)
      const { json } = await call(client, endpoint)
      const answered = gate.find((code) => code === (json as typeof json | null)?.['code'])
      if (answered !== expected(kind, endpoint)) wrong.push(`${name}: ${answered ?? 'let in'}`)
    }
    expect(wrong).toEqual([])
  })
})

test('every endpoint with an instance permission is for administrators only', () => {
  const open = t.app.routes.filter(({ endpoint }) => /^\/admin\//.test(endpoint.path))
  expect(open.length).toBeGreaterThan(0)
  for (const { endpoint } of open)
    expect(typeof endpoint.access === 'string' ? endpoint.access : permissions[endpoint.access.permission]).toBe('instance')
})

describe('can', () => {
  const source = { address: '', userAgent: '', requestId: '' }
  const at = new Date(0)
  const user = (role: string): CurrentUser => ({
    ...{ id: 'u1', name: 'Ann', email: 'ann@access.example', emailVerified: true, image: null, role, language: null },
    ...{ fields: {}, createdAt: at, updatedAt: at },
  })
  const session = {
    ...{ id: 's1', token: 't', userId: 'u1', expiresAt: at, createdAt: at, updatedAt: at, ipAddress: '', userAgent: '' },
    ...{ rememberMe: true, activeOrganizationId: null, activeTeamId: null },
  }
  const signedIn = (role: string): Principal => ({ kind: 'user', ...source, user: user(role), session })
  const all = Object.keys(permissions) as Permission[]
  const inArea = (area: string) => all.filter((permission) => permissions[permission] === area)

  test('an anonymous principal has no permission, and the system has all', () => {
    for (const permission of all) {
      expect(can({ kind: 'anonymous', ...source }, permission)).toBe(false)
      expect(can(systemPrincipal('r'), permission)).toBe(true)
    }
  })

  test('a user can have an account permission for their own account only', () => {
    for (const permission of inArea('account')) {
      expect(can(signedIn('user'), permission, { ownerId: 'u1' })).toBe(true)
      expect(can(signedIn('admin'), permission, { ownerId: 'u2' })).toBe(false)
      expect(can(signedIn('admin'), permission, { allows: () => true })).toBe(false)
    }
  })

  test('a user can have an organization permission where their membership allows it, whatever their instance role', () => {
    for (const permission of inArea('organization')) {
      expect(can(signedIn('user'), permission, { allows: (asked) => asked === permission })).toBe(true)
      expect(can(signedIn('admin'), permission, { allows: () => false })).toBe(false)
      expect(can(signedIn('admin'), permission, { ownerId: 'u1' })).toBe(false)
    }
  })

  test('a user can have an instance permission only through a role that gives it', () => {
    for (const permission of inArea('instance')) {
      expect(can(signedIn('admin'), permission)).toBe((instanceRoles['admin'] as readonly string[]).includes(permission))
      for (const role of ['user', '', 'constructor', 'toString', 'Admin', 'admin,user', 'unknown'])
        expect(can(signedIn(role), permission)).toBe(false)
    }
  })
})
