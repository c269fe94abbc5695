import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { stringify } from 'yaml'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { readDeclaration } from '../../../src/apply/read.ts'
import { runChecks } from '../../../src/core/checks.ts'
import { type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
let folder: string
beforeAll(async () => {
  t = await testApp()
  folder = join(t.database.dataDir, 'declarations')
  mkdirSync(folder, { recursive: true })
})
afterAll(() => t.stop())

const principal = systemPrincipal('test')
const secret = (mark: string) => `${mark}-Xk3vQ9pLw7zR2tYb5NmC8sHd4gJf6aUe`

/** Writes a file beside the declarations and returns its name. */
const write = (name: string, content: string) => {
  writeFileSync(join(folder, name), content)
  return name
}
const declare = (name: string, content: Record<string, unknown>) =>
  readDeclaration(join(folder, write(`${name}.yaml`, stringify({ source: name, ...content }))))
const apply = async (name: string, content: Record<string, unknown>, prune = false) =>
  (await t.app.applying.apply(principal, declare(name, content), { prune })).changes
const plan = async (name: string, content: Record<string, unknown>, prune = false) =>
  (await t.app.applying.plan(principal, declare(name, content), { prune })).changes
const actions = (changes: Awaited<ReturnType<typeof apply>>) => changes.map(({ kind, key, action }) => `${action} ${kind} ${key}`)
const clientOf = (clientId: string) => t.app.oidc.applications.get(principal, clientId)
const secretCounts = async (clientId: string, value: string) => {
  const client = await t.app.oidc.clients.find(clientId)
  return client !== undefined && t.app.oidc.clients.authenticate(client, value) !== undefined
}

const web = (more: Record<string, unknown> = {}) => ({ name: 'Shop', redirectUris: ['https://shop.example.com/cb'], ...more })
const spa = (more: Record<string, unknown> = {}) => web({ type: 'spa', ...more })

describe('applying a declaration', () => {
  test('a declaration makes a user with an unverified email address an organization owner only if it says so explicitly', async () => {
    await t.signedIn('unproven@example.com')
    const declared = (more: Record<string, unknown>) => ({
      organizations: { unproven: { name: 'Unproven', firstOwners: ['unproven@example.com'], ...more } },
    })
    for (const work of [plan, apply])
      await expect(work('unproven', declared({}))).rejects.toMatchObject({ code: 'ADDRESS_IS_NOT_VERIFIED' })
    expect(actions(await apply('unproven', declared({ unverified: true })))).toEqual(['create organization unproven'])
    await apply('unproven', {}, true)
  })

  test('a declaration creates organizations with teams and owners, clients with secrets, and endpoints, and a second application changes nothing', async () => {
    await t.signedIn('ann@example.com')
    await t.verify('ann@example.com')
    const content = {
      organizations: {
        acme: { name: 'Acme', metadata: { tier: 1 }, firstOwners: ['ann@example.com'], teams: ['Sales', 'Acme'] },
      },
      clients: {
        shop: web({ secretFile: write('shop-secret', `${secret('shop')}\n`) }),
        nightly: { name: 'Nightly', type: 'machine', permissions: ['users:*'], secretFile: 'shop-secret' },
      },
      webhookEndpoints: { 'polar-eu': { secretFile: write('polar-secret', secret('polar')) } },
    }
    expect(actions(await plan('first', content))).toHaveLength(6)
    await expect(clientOf('shop')).rejects.toMatchObject({ code: 'APPLICATION_NOT_FOUND' })
    const first = await apply('first', content)
    expect(actions(first)).toEqual([
      ...['create organization acme', 'create team acme/Sales', 'unchanged team acme/Acme', 'create client shop'],
      ...['create client nightly', 'create endpoint polar-eu'],
    ])
    expect(JSON.stringify(first)).not.toContain(secret('shop'))
    expect(await secretCounts('shop', secret('shop'))).toBe(true)
    expect((await clientOf('nightly')).permissions).toContain('users:read')
    expect(await t.app.organizations.require('acme')).toMatchObject({ name: 'Acme', memberCount: 1 })
    expect(new Set((await apply('first', content)).map(({ action }) => action))).toEqual(new Set(['unchanged']))
    expect(await t.app.applying.drift()).toEqual([])
  })

  test('a declaration creates APIs for its own applications, changes nothing the second time, and can delete objects that it declared', async () => {
    const of = (more: Record<string, unknown>) => ({
      clients: { till: spa(), stock: spa() },
      apis: {
        'https://orders.example.com': {
          name: 'Orders',
          scopes: [{ name: 'read', description: 'See orders', permission: 'member:read' }],
          clients: [{ clientId: 'till', scopes: ['read'] }, { clientId: 'stock' }],
          ...more,
        },
      },
    })
    const made = 'api https://orders.example.com'
    expect(actions(await apply('apis', of({})))).toEqual(['create client till', 'create client stock', `create ${made}`])
    const events = async () => t.app.core.db.knex('event').where({ type: 'api.updated' }).count({ all: '*' }).first()
    expect(actions(await apply('apis', of({})))).toEqual(['unchanged client till', 'unchanged client stock', `unchanged ${made}`])
    expect(Number((await events())?.['all'])).toBe(0)
    const changed = await apply('apis', of({ tokenFormat: 'opaque' }))
    expect(changed.at(-1)).toMatchObject({ action: 'update', fields: [{ field: 'tokenFormat', before: 'jwt', after: 'opaque' }] })
    const { id } = await t.app.oidc.apis.get(principal, 'https://orders.example.com')
    await t.app.oidc.apis.update(principal, id, { name: 'Other' })
    expect(await t.app.applying.drift()).toContainEqual(
      expect.objectContaining({ kind: 'api', key: 'https://orders.example.com', fields: ['name'] }),
    )
    expect(actions(await apply('apis', {}, true))).toContain(`delete ${made}`)
    await expect(apply('apis', of({ clients: [{ clientId: 'nobody' }] }))).rejects.toMatchObject({
      code: 'APPLICATION_NOT_FOUND',
    })
    await apply('apis', {}, true)
  })

  test('the result of a declaration names changed fields with their former values, and events name apply as their actor', async () => {
    await apply('fields', { clients: { phone: spa() } })
    const changes = await apply('fields', { clients: { phone: spa({ name: 'Phone' }) } })
    expect(changes).toEqual([
      { kind: 'client', key: 'phone', action: 'update', fields: [{ field: 'name', before: 'Shop', after: 'Phone' }] },
    ])
    const event = await t.app.core.db.knex('event').where({ type: 'client.updated', subject_id: 'phone' }).first()
    expect(event).toMatchObject({ actor_kind: 'system', actor_id: 'apply' })
  })

  test('a declaration follows an organization whose slug changed, and never takes the slug of another organization', async () => {
    const content = { organizations: { globex: { name: 'Globex' } } }
    await apply('slug', content)
    const { id } = await t.app.organizations.require('globex')
    await t.app.organizations.updateById(principal, id, { slug: 'globex-inc' }, () => undefined)
    expect(await t.app.applying.drift()).toContainEqual(expect.objectContaining({ key: 'globex', fields: ['slug'] }))
    await t.app.organizations.createFor(principal, { name: 'Other', slug: 'globex' }, undefined)
    await expect(apply('slug', content)).rejects.toMatchObject({
      code: 'ORGANIZATION_ALREADY_EXISTS',
      message: expect.stringMatching(/^organizations\.globex: /),
    })
  })

  test('if one object of a declaration is refused, nothing is changed, and the error names the object', async () => {
    const content = { clients: { good: spa(), bad: spa({ redirectUris: ['http://not-loopback.example/cb'] }) } }
    await expect(apply('refused', content)).rejects.toMatchObject({
      code: 'INVALID_REDIRECT_URI',
      message: expect.stringMatching(/^clients\.bad: Invalid redirect URI/),
    })
    await expect(clientOf('good')).rejects.toMatchObject({ code: 'APPLICATION_NOT_FOUND' })
    await expect(plan('refused', content)).rejects.toMatchObject({ code: 'INVALID_REDIRECT_URI' })
    await expect(
      apply('refused', { organizations: { solo: { name: 'Solo', firstOwners: ['nobody@example.com'] } } }),
    ).rejects.toMatchObject({ code: 'USER_NOT_FOUND', message: expect.stringMatching(/^organizations\.solo: /) })
  })

  test('a declaration accepts all client metadata of RFC 7591, with the same refusals as registration', async () => {
    const metadata = {
      ...{ translations: { de: { name: 'Laden' } }, contacts: ['it@example.com'], softwareId: 'shop', softwareVersion: '1.2' },
      ...{ defaultMaxAge: 3600, requireAuthTime: true, jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] } },
    }
    await apply('described', { clients: { described: spa(metadata) } })
    expect(await clientOf('described')).toMatchObject(metadata)
    expect(actions(await apply('described', { clients: { described: spa() } }))).toEqual(['unchanged client described'])
    for (const [wrong, message] of [
      [{ jwks: { keys: [{ kty: 'EC', d: 'x' }] } }, 'private or symmetric key'],
      [{ redirectUris: ['javascript:alert(1)'] }, 'Invalid redirect URI'],
      [{ translations: { de: { tosUri: 'javascript:alert(1)' } } }, 'tosUri#de'],
    ] as const)
      await expect(apply('described', { clients: { described: spa(wrong) } })).rejects.toThrow(message)
    expect(await clientOf('described')).toMatchObject(metadata)
  })

  test('a declaration is refused if it would create a secret that nobody sees, or change the type of a client', async () => {
    await expect(apply('misfit', { clients: { unseen: web() } })).rejects.toMatchObject({
      code: 'DECLARATION_DOES_NOT_FIT',
      message: expect.stringMatching(/^clients\.unseen: .*secretFile or secretEnv/),
    })
    await apply('misfit', { clients: { typed: spa() } })
    await expect(apply('misfit', { clients: { typed: spa({ type: 'native' }) } })).rejects.toMatchObject({
      code: 'DECLARATION_DOES_NOT_FIT',
    })
  })

  test('a declaration is applied only if nothing has changed since its difference was shown', async () => {
    const declaration = declare('shown', { clients: { shown: spa({ name: 'Shown' }) } })
    const { digest: expected } = await t.app.applying.plan(principal, declaration, { prune: false })
    await t.app.oidc.clients.register(principal, {
      name: 'By hand',
      type: 'spa',
      redirectUris: ['https://x.example/cb'],
      clientId: 'shown',
    })
    await expect(t.app.applying.apply(principal, declaration, { prune: false, expected })).rejects.toMatchObject({
      code: 'STATE_HAS_CHANGED',
    })
    expect((await clientOf('shown')).name).toBe('By hand')
  })
})

describe('secrets by reference in a declaration', () => {
  test('a new secret in the file is rotated in while the earlier secret stays valid, and the result only says that the secret changed', async () => {
    const content = { clients: { rotated: web({ secretFile: write('rotated', secret('one')) }) } }
    await apply('rotation', content)
    write('rotated', secret('two'))
    const changes = await apply('rotation', content)
    expect(changes).toEqual([{ kind: 'client', key: 'rotated', action: 'update', fields: [{ field: 'secret' }] }])
    expect(await secretCounts('rotated', secret('one'))).toBe(true)
    expect(await secretCounts('rotated', secret('two'))).toBe(true)
    expect(actions(await apply('rotation', content))).toEqual(['unchanged client rotated'])
  })

  test('a revoked secret is not restored by the next application of the declaration', async () => {
    const content = { clients: { leaked: web({ secretFile: write('leaked', secret('leaked')) }) } }
    await apply('leak', content)
    await t.app.oidc.clientSecrets.rotate(principal, 'leaked', { overlapSeconds: 0 })
    expect(actions(await apply('leak', content))).toEqual(['unchanged client leaked'])
    expect(await secretCounts('leaked', secret('leaked'))).toBe(false)
    const endpoint = { webhookEndpoints: { taken: { secretFile: write('taken', secret('taken')) } } }
    await apply('taken', endpoint)
    await t.app.billing.endpoints.addSecret(principal, 'taken', secret('newer'))
    await t.app.billing.endpoints.dropOldSecrets(principal, 'taken')
    expect(actions(await apply('taken', endpoint))).toEqual(['unchanged endpoint taken'])
    write('taken', secret('third'))
    expect(actions(await apply('taken', endpoint))).toEqual(['update endpoint taken'])
    expect(await t.app.billing.endpoints.newestSecret('taken')).toBe(secret('third'))
  })

  test('a declared secret can come from an environment variable, and a missing variable is refused with a message', () => {
    vi.stubEnv('SHOP_CLIENT_SECRET', secret('env'))
    expect(declare('env', { clients: { env: web({ secretEnv: 'SHOP_CLIENT_SECRET' }) } }).clients['env']?.secret).toBe(
      secret('env'),
    )
    vi.unstubAllEnvs()
    const content = {
      clients: { env: web({ secretEnv: 'SHOP_CLIENT_SECRET' }), file: web({ secretFile: 'absent' }) },
      webhookEndpoints: { empty: { secretFile: write('empty', '\n') } },
    }
    expect(() => declare('missing', content)).toThrow(
      expect.objectContaining({
        code: 'DECLARATION_IS_INVALID',
        issues: [
          { path: 'clients.env.secretEnv', message: 'the variable SHOP_CLIENT_SECRET is not set' },
          { path: 'clients.file.secretFile', message: `the file ${join(folder, 'absent')} does not exist` },
          { path: 'webhookEndpoints.empty.secretFile', message: `the file ${join(folder, 'empty')} is empty` },
        ],
      }),
    )
  })
})

describe('pruning by a declaration', () => {
  test('pruning deletes objects of an earlier run, names what is lost, and keeps objects made by hand or by another declaration', async () => {
    await t.app.oidc.clients.register(principal, {
      name: 'By hand',
      type: 'spa',
      redirectUris: ['https://x.example/cb'],
      clientId: 'by-hand',
    })
    await apply('other', { clients: { 'of-other': spa() } })
    const both = { organizations: { pruned: { name: 'Pruned', teams: ['One'] } }, clients: { 'by-hand': spa(), made: spa() } }
    await apply('prune', both)
    expect(actions(await apply('prune', {}))).toEqual(['kept organization pruned', 'kept team pruned/One', 'kept client made'])
    expect((await clientOf('made')).name).toBe('Shop')
    await apply('prune', both)
    const changes = await apply('prune', {}, true)
    expect(actions(changes)).toEqual(['delete organization pruned', 'delete client made'])
    expect(changes.map(({ lost }) => lost)).toEqual([
      '0 members lose it, with its teams and invitations',
      'its secrets, 0 codes and tokens and 0 consents end',
    ])
    await expect(clientOf('made')).rejects.toMatchObject({ code: 'APPLICATION_NOT_FOUND' })
    expect((await clientOf('by-hand')).name).toBe('Shop')
    expect((await clientOf('of-other')).name).toBe('Shop')
    expect(await apply('prune', {}, true)).toEqual([])
  })
})

describe('drift from a declaration', () => {
  test('drift names objects that were changed or deleted since the last application', async () => {
    const content = { clients: { drifting: spa(), deleted: spa() } }
    await apply('drift', content)
    await t.app.oidc.applications.update(principal, 'drifting', { name: 'Renamed', disabled: true })
    await t.app.oidc.applications.remove(principal, 'deleted')
    const own = async () => (await t.app.applying.drift()).filter(({ source }) => source === 'drift')
    expect(await own()).toEqual([
      { kind: 'client', key: 'deleted', source: 'drift', fields: [], isGone: true },
      { kind: 'client', key: 'drifting', source: 'drift', fields: ['name'], isGone: false },
    ])
    expect(
      await runChecks(t.app.registered.flatMap(({ checks = [] }) => checks.filter(({ name }) => name === 'declarations'))),
    ).toEqual(
      expect.arrayContaining([
        {
          check: 'declarations',
          severity: 'notice',
          message: 'client drifting is otherwise than drift declares it: name',
          remedy: 'apply with the declaration puts it back; or declare it as it is now',
          code: 'declared-changed',
          values: { kind: 'client', key: 'drifting', source: 'drift', fields: 'name' },
        },
        expect.objectContaining({ message: 'client deleted was deleted, and drift declares it' }),
      ]),
    )
    expect(actions(await apply('drift', content))).toEqual(['update client drifting', 'create client deleted'])
    expect(await own()).toEqual([])
    // The declaration does not say whether the application is disabled, so it stays disabled.
    expect((await clientOf('drifting')).disabled).toBe(true)
    await apply('drift', { clients: { drifting: spa() } })
    await t.app.oidc.applications.remove(principal, 'deleted')
    expect(await own()).toEqual([])
  })
})
