/** About a hundred requests of a machine for its own token that are refused, with the error of the standard. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { signedInAs } from '../../support/administrators.ts'
import type { TestApp } from '../../support/app.ts'
import { type Application, type Params, postForm, register, userinfo } from './flow.ts'
import { attempt, hostileApp, hostileAssertions, hostileForms, hostileProofs, refusalOf, type Target } from './hostile.ts'

const [api, foreignApi] = ['https://api.example', 'https://foreign.example']
let t: TestApp
let target: Target
let hostile: Awaited<ReturnType<typeof hostileApp>>
const web = { clientId: '', secret: undefined as string | undefined }
const disabled = { ...web }
let reader: Application
beforeAll(async () => {
  const machine = { type: 'machine', redirectUris: [], authMethod: 'private_key_jwt' } as const
  hostile = await hostileApp(machine, { permissions: ['users:read'] })
  t = hostile.t
  const { clientId, other } = hostile.target
  const admin = await signedInAs(t, 'admin')
  Object.assign(web, await register(t, { name: 'Web' }))
  Object.assign(disabled, await register(t, { name: 'Off', type: 'machine', redirectUris: [] }))
  await t.app.oidc.applications.update(systemPrincipal('test'), disabled.clientId, { disabled: true })
  const scopes = ['read', 'write'].map((name) => ({ name, description: name }))
  const body = { identifier: api, name: 'API', scopes, clients: [{ clientId, scopes: ['read'] }] }
  const { id } = await admin.api.apis.createApi({ body })
  const { secret } = await admin.api.apis.rotateApiSecret({ params: { apiId: id }, body: {} })
  reader = { clientId: id, secret }
  await admin.api.apis.createApi({ body: { ...body, identifier: foreignApi, clients: [{ clientId: other.clientId }] } })
  const form = { grant_type: 'client_credentials', resource: api, scope: 'read' }
  target = { ...hostile.target, form }
})
afterAll(() => hostile.stop())

test.each(hostileAssertions)('a machine gets no token by a client assertion %s', async (_, make, error) => {
  expect(refusalOf(await attempt(target, { assertion: await make(target) }))).toBe(error)
})

test.each(hostileProofs)('a machine gets no token with a DPoP proof %s', async (_, make, error) => {
  expect(refusalOf(await attempt(target, { proof: await make(target) }))).toBe(error)
})

test.each(hostileForms)('a machine gets no token by a request %s', async (_, make, error) => {
  expect(refusalOf(await attempt(target, await make(target)))).toBe(error)
})

describe('requests of a machine', () => {
  const requests: readonly (readonly [string, Params, string])[] = [
    ['for an unknown scope', { scope: 'read admin' }, 'invalid_scope'],
    ['for a scope of the API that it may not have', { scope: 'read write' }, 'invalid_scope'],
    ['for a scope in capitals', { scope: 'READ' }, 'invalid_scope'],
    ['for every scope', { scope: '*' }, 'invalid_scope'],
    ['for a permission by its name', { scope: 'users:read' }, 'invalid_scope'],
    ['for a scope of the API without the API', { resource: undefined }, 'invalid_scope'],
    ['for an unknown API', { resource: 'https://nobody.example' }, 'invalid_target'],
    ['for the API of another client', { resource: foreignApi }, 'invalid_target'],
    ['for a part of the API', { resource: `${api}#part` }, 'invalid_target'],
    ['for a path of the API', { resource: `${api}/path` }, 'invalid_target'],
    ['for an API by no address', { resource: 'api' }, 'invalid_target'],
    ['for an API on a name like it', { resource: `${api}.evil.example` }, 'invalid_target'],
  ]
  test.each(requests)('a machine that asks %s is refused', async (_, form, error) => {
    expect(refusalOf(await attempt({ ...target, form: { ...target.form, ...form } }))).toBe(error)
  })

  test.each(['scope', 'resource'])(
    'a machine that sends %s twice is refused, or gets only what one value would give',
    async (name) => {
      const form = (pairs: readonly (readonly [string, string])[]) => [...pairs, ...pairs.filter(([one]) => one === name)]
      const answer = await attempt(target, { form })
      expect(answer.status === 200 ? answer.json['scope'] : refusalOf(answer)).toBe(name === 'scope' ? 'invalid_request' : 'read')
    },
  )

  test.each(['openid', 'offline_access', 'profile email'])(
    'a machine that asks for %s gets no data of a person',
    async (scope) => {
      const { json } = await attempt({ ...target, form: { ...target.form, resource: undefined, scope } })
      expect([json['id_token'], json['refresh_token']]).toEqual([undefined, undefined])
      expect((await userinfo(t, json['access_token'])).status).toBe(401)
    },
  )

  test('a machine never gets offline_access, and is refused if it requests only offline_access', async () => {
    const ask = (scope: string) => attempt({ ...target, form: { ...target.form, resource: undefined, scope } })
    expect((await ask('openid offline_access')).json).toMatchObject({ scope: 'openid', token_type: 'DPoP' })
    const { json } = await ask('offline_access')
    expect(json).toMatchObject({ error: 'invalid_scope', error_description: expect.stringContaining('no refresh token') })
    expect((await attempt({ ...target, form: { ...target.form, scope: 'read offline_access' } })).json).toMatchObject({
      scope: 'read',
    })
  })

  test('a machine that names two APIs gets a token for neither', async () => {
    const form = (pairs: readonly (readonly [string, string])[]) => [...pairs, ['resource', foreignApi] as const]
    expect(refusalOf(await attempt(target, { form }))).toBe('invalid_target')
  })

  test.each<[string, () => Application, string]>([
    ['an application for people', () => web, 'unauthorized_client'],
    ['a disabled machine', () => disabled, 'invalid_client'],
    ['an API', () => reader, 'unauthorized_client'],
    ['a machine with a secret instead of its key', () => ({ clientId: target.clientId, secret: web.secret }), 'invalid_client'],
    ['a client that does not exist', () => ({ clientId: 'nobody', secret: web.secret }), 'invalid_client'],
    ['a client whose id is an SQL statement', () => ({ clientId: "' OR 1=1 --", secret: web.secret }), 'invalid_client'],
  ])('%s gets no token by client credentials', async (_, by, error) => {
    expect(refusalOf(await postForm(t, by(), '/oauth2/token', { grant_type: 'client_credentials' }))).toBe(error)
  })
})

test('the valid request behind the hostile variants succeeds, and no internal address was called', async () => {
  expect((await attempt(target)).json).toMatchObject({ token_type: 'DPoP', scope: 'read' })
  expect(hostile.inside.asked).toEqual([])
})
