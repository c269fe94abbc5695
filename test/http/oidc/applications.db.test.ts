import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { etagOfResult } from '../../../src/http/conditional.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Client as Browser } from '../../support/client.ts'
import { fill, planFaults, secondsIn2026 } from '../../support/plans.ts'
import {
  type Application,
  authorizePath,
  codeFor,
  offline,
  postForm,
  redeem,
  redirectUri,
  refresh,
  register,
  uidOf,
  userinfo,
} from './flow.ts'

let t: TestApp
let other: TestApp
let admin: Browser
let ann: Browser
beforeAll(async () => {
  t = await testApp({
    config: {
      access: { roles: { registrar: { permissions: ['clients:read'] }, clerk: { permissions: ['clients:read', 'users:read'] } } },
    },
  })
  other = await t.node()
  admin = await t.signedIn('admin@example.com')
  await t.app.core.db.knex('user').where({ email: 'admin@example.com' }).update({ role: 'admin' })
  ann = await t.signedIn('ann@example.com')
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

const api = () => admin.api.applications
const update = (app: Application, body: object, ifMatch?: string) =>
  api().updateApplication({ params: { clientId: app.clientId }, body, ifMatch })
const eventsOf = async (app: Application) =>
  (await t.app.core.db.knex('event').where({ subject_id: app.clientId, subject_type: 'client' }).orderBy('id')).map(
    ({ type, data, actor_id }) => ({ type, data: JSON.parse(data), actor: actor_id }),
  )

describe('the preview of the claims that an application gets about a person', () => {
  const preview = (app: Application, query: { user: string; organization?: string }) =>
    api().previewClaims({ params: { clientId: app.clientId }, query })

  test('a claims preview by email address works before any sign-in, names the rule and row of each claim, and equals the later userinfo', async () => {
    const app = await register(t, { name: 'Previewed', scope: ['openid', 'profile', 'email'] })
    const { claims, user, organization, scopes } = await preview(app, { user: 'Ann@example.com' })
    expect(user.email).toBe('ann@example.com')
    expect(organization).toBeNull()
    expect(scopes).toEqual(['openid', 'profile', 'email'])
    expect(claims).toContainEqual({
      ...{ name: 'email', value: 'ann@example.com', scope: 'email', feature: 'users' },
      origins: [{ rule: 'user.email', row: `user ${user.id}` }],
    })
    const { json } = await redeem(t, app, await codeFor(ann, app, { scope: 'openid profile email' }))
    const { json: told } = await userinfo(t, json['access_token'])
    for (const { name, value } of claims) expect(told[name], name).toEqual(value)
  })

  test('a claims preview with an organization requires a member of the organization, and an unknown person or application is an error', async () => {
    const app = await register(t, { name: 'Previewed for one' })
    await ann.api.organizations.createOrganization({ body: { name: 'Acme', slug: 'acme-preview' } })
    expect((await preview(app, { user: 'ann@example.com', organization: 'acme-preview' })).organization?.slug).toBe(
      'acme-preview',
    )
    const outsider = preview(app, { user: 'admin@example.com', organization: 'acme-preview' })
    await expect(outsider).rejects.toMatchObject({ status: 400, code: 'ORGANIZATION_CANNOT_BE_CHOSEN' })
    await expect(preview(app, { user: 'nobody@example.com' })).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
    const nowhere = preview({ ...app, clientId: 'nowhere' }, { user: 'ann@example.com' })
    await expect(nowhere).rejects.toMatchObject({ status: 404, code: 'APPLICATION_NOT_FOUND' })
  })

  test('a claims preview requires permissions for applications and people, and further permissions for organizations and purchases', async () => {
    const app = await register(t, { name: 'Previewed by others', scope: ['openid', 'email', 'billing'] })
    const as = async (role: string) => {
      const email = `${role.replace(/\W/g, '-')}@example.com`
      const person = await t.signedIn(email)
      await t.app.core.db.knex('user').where({ email }).update({ role })
      return (query: { user: string; organization?: string }) =>
        person.api.applications.previewClaims({ params: { clientId: app.clientId }, query })
    }
    expect((await (await as('auditor'))({ user: 'ann@example.com' })).isPartial).toBe(false)
    await expect((await as('support'))({ user: 'ann@example.com' })).rejects.toMatchObject({ status: 403 })
    await expect((await as('registrar'))({ user: 'ann@example.com' })).rejects.toMatchObject({ status: 403 })
    const clerk = await as('clerk')
    const { claims, isPartial } = await clerk({ user: 'ann@example.com' })
    expect(isPartial).toBe(true)
    expect(claims.map(({ feature }) => feature)).not.toContain('billing')
    await expect(clerk({ user: 'ann@example.com', organization: 'acme-preview' })).rejects.toMatchObject({ status: 403 })
  })
})

describeOnBoth('an application', () => {
  test('an application can be registered by the API with a given client id and secret that work at once', async () => {
    const clientSecret = 'own-4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO'
    const made = await api().createApplication({
      body: { name: 'Shop', type: 'web', redirectUris: [redirectUri, redirectUri], clientId: 'shop.v2', clientSecret },
    })
    expect(made).toMatchObject({ clientSecret, client: { clientId: 'shop.v2', redirectUris: [redirectUri], disabled: false } })
    const code = await codeFor(ann, { clientId: 'shop.v2', secret: clientSecret })
    expect((await redeem(t, { clientId: 'shop.v2', secret: clientSecret }, code)).status).toBe(200)
    const again = api().createApplication({ body: { name: 'Shop', type: 'machine', clientId: 'shop.v2' } })
    await expect(again).rejects.toMatchObject({ status: 409, code: 'CLIENT_ID_IS_TAKEN' })
  })

  test.each([
    ['INVALID_CLIENT_METADATA', { type: 'web', redirectUris: [redirectUri], clientId: 'a/b' }],
    ['INVALID_CLIENT_METADATA', { type: 'web', redirectUris: [redirectUri], clientId: '..' }],
    ['INVALID_CLIENT_METADATA', { type: 'spa', redirectUris: [redirectUri], idTokenAlg: 'HS256' }],
    ['INVALID_CLIENT_METADATA', { type: 'web', redirectUris: [redirectUri], policyUri: 'javascript:alert(1)' }],
    ['CLIENT_SECRET_IS_TOO_WEAK', { type: 'web', redirectUris: [redirectUri], clientSecret: 'password' }],
    ['CLIENT_HAS_NO_SECRET', { type: 'native', redirectUris: [redirectUri], clientSecret: 'x'.repeat(40) }],
    ['REDIRECT_URI_IS_REQUIRED', { type: 'web' }],
    ['INVALID_REDIRECT_URI', { type: 'machine', redirectUris: [redirectUri] }],
    ['INVALID_REDIRECT_URI', { type: 'web', redirectUris: ['http://rp.example/'] }],
    ['INVALID_SCOPE', { type: 'web', redirectUris: [redirectUri], scopes: ['everything'] }],
    ['VALIDATION_ERROR', { type: 'desktop' }],
    ['VALIDATION_ERROR', { type: 'web', name: '' }],
  ])('the registration of an invalid application is refused with %s: %o', async (code, body) => {
    const answer = await admin.post('/admin/clients', { name: 'X', ...body })
    expect(answer.json).toMatchObject({ code })
  })

  test('an update of an application obeys the rules of registration, and its event names each field before and after', async () => {
    const app = await register(t, { webOrigins: ['https://a.example'] })
    // The name of the registrant is returned by lists and by getApplication, but not by a change.
    const { registrant: _, ...before } = await api().getApplication({ params: { clientId: app.clientId } })
    const [name, redirectUris] = ['Shop & more', [redirectUri, 'https://new.example/callback']]
    const after = await update(app, { name, redirectUris, icon: 'https://rp.example/i.png' })
    const changed = { logoProblem: expect.any(String), updatedAt: expect.any(Date) }
    expect(after).toEqual({ ...before, name, redirectUris, icon: 'https://rp.example/i.png', ...changed })
    expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime())
    expect((await eventsOf(app)).at(-1)).toEqual({
      type: 'client.updated',
      data: {
        fields: ['name', 'redirectUris', 'icon'],
        before: { name: 'Shop', redirectUris: [redirectUri], icon: null },
        after: { name, redirectUris, icon: 'https://rp.example/i.png' },
      },
      actor: expect.any(String),
    })
    // An update without a change records no event.
    const known = (await eventsOf(app)).length
    expect(await update(app, { name })).toEqual(after)
    expect(await eventsOf(app)).toHaveLength(known)
    const there = await ann.request(authorizePath(app, { redirect_uri: 'https://new.example/callback' }))
    expect(there.location).not.toMatch(/^\/error/)
    for (const [code, body] of [
      ['REDIRECT_URI_IS_REQUIRED', { redirectUris: [] }],
      ['INVALID_REDIRECT_URI', { redirectUris: ['http://rp.example/'] }],
      ['INVALID_CLIENT_METADATA', { idTokenAlg: 'HS256' }],
      ['INVALID_SCOPE', { scopes: ['everything'] }],
      ['VALIDATION_ERROR', { disabled: 'yes' }],
    ] as const)
      expect((await admin.request(`/admin/clients/${app.clientId}`, patch(body))).json).toMatchObject({ code })
    const unknown = update({ clientId: 'none', secret: undefined }, { name })
    await expect(unknown).rejects.toMatchObject({ status: 404, code: 'APPLICATION_NOT_FOUND' })
  })

  test('an application keeps its secret as a hash once it no longer signs ID tokens with the secret', async () => {
    const app = await register(t, { idTokenAlg: 'HS256' })
    await update(app, { idTokenAlg: 'ES256' })
    const [secret] = await t.app.core.db
      .knex('client_secret')
      .join('oauth_client as c', 'c.id', 'oauth_client_id')
      .where('c.client_id', app.clientId)
      .select('secret')
    expect(secret.secret).toMatch(/^[0-9a-f]{64}$/)
    expect((await redeem(t, app, await codeFor(ann, app))).status).toBe(200)
  })

  testOnBoth(
    'a scope taken from an application disappears from its codes and tokens on every node, and does not return to them by itself',
    async () => {
      const app = await register(t, { scope: ['openid', 'email', 'offline_access'] })
      const params = { scope: 'openid email offline_access', prompt: 'consent' }
      const { json: before } = await redeem(t, app, await codeFor(ann, app, params))
      const code = await codeFor(ann, app, params)
      await update(app, { scopes: ['openid', 'offline_access'] })
      await vi.waitFor(async () => {
        for (const node of [t, other]) {
          expect((await userinfo(node, before['access_token'])).json).toEqual({ sub: expect.any(String) })
          const form = { token: String(before['access_token']) }
          expect((await postForm(node, app, '/oauth2/introspect', form)).json).toMatchObject({ scope: 'openid offline_access' })
        }
      }, 60_000)
      const { json: refreshed } = await refresh(other, app, before['refresh_token'])
      expect(refreshed).toMatchObject({ scope: 'openid offline_access' })
      expect(decodeJwt(String(refreshed['id_token']))).not.toHaveProperty('email')
      expect((await redeem(t, app, code)).json).toMatchObject({ scope: 'openid offline_access' })
      await update(app, { scopes: ['openid', 'email', 'offline_access'] })
      expect((await refresh(t, app, refreshed['refresh_token'])).json).toMatchObject({ scope: 'openid offline_access' })
    },
  )

  test('an application gets no code at a redirect address that was removed while the person was asked', async () => {
    const former = 'https://former.example/callback'
    const app = await register(t, { redirectUris: [redirectUri, former] })
    const asked = await ann.request(authorizePath(app, { redirect_uri: former }))
    const { redirectURI } = await ann.api.oidc.consent({ body: { accept: true, interaction: uidOf(asked) } })
    await update(app, { redirectUris: [redirectUri] })
    expect((await ann.request(redirectURI)).location).toMatch(/^\/error\?error=invalid_redirect_uri/)
  })

  testOnBoth('an update of an application with an outdated ETag is refused', async () => {
    const app = await register(t)
    const read = await api().getApplication({ params: { clientId: app.clientId } })
    const changed = await update(app, { name: 'First' }, etagOfResult(read))
    const late = update(app, { name: 'Second' }, etagOfResult(read))
    await expect(late).rejects.toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' })
    const gone = api().deleteApplication({ params: { clientId: app.clientId }, ifMatch: etagOfResult(read) })
    await expect(gone).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
    // One of several simultaneous changes of the same state succeeds.
    const tag = etagOfResult(changed)
    const all = await Promise.allSettled(['a', 'b', 'c'].map((name) => update(app, { name }, tag)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

const patch = (body: object) => ({
  method: 'PATCH',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

describeOnBoth('an application that is switched off', () => {
  testOnBoth(
    'a disabled application signs nobody in and gets no tokens and no information about people on any node, until the application is enabled',
    async () => {
      const app = await register(t)
      const { json } = await redeem(t, app, await codeFor(ann, app, offline))
      const pendingCode = await codeFor(ann, app)
      const token = String(json['access_token'])
      expect((await postForm(other, app, '/oauth2/introspect', { token })).json).toMatchObject({ active: true })
      await update(app, { disabled: true })
      const refusedAt = async (node: TestApp) => {
        const off = { error: 'invalid_client', error_description: 'client is disabled' }
        expect((await redeem(node, app, pendingCode)).json).toEqual(off)
        expect((await refresh(node, app, json['refresh_token'])).json).toEqual(off)
        expect((await postForm(node, app, '/oauth2/introspect', { token })).json).toEqual(off)
        expect((await userinfo(node, token)).status).toBe(401)
        const pushed = await postForm(node, app, '/oauth2/par', { response_type: 'code', redirect_uri: redirectUri })
        expect(pushed.json).toEqual(off)
      }
      await refusedAt(t)
      await expect.poll(async () => (await userinfo(other, token)).status).toBe(401)
      await refusedAt(other)
      expect((await ann.request(authorizePath(app))).location).toMatch(/^\/error\?error=client_disabled/)
      await update(app, { disabled: false })
      expect((await userinfo(t, token)).status).toBe(200)
      expect((await refresh(t, app, json['refresh_token'])).status).toBe(200)
      expect((await redeem(t, app, pendingCode)).status).toBe(200)
      const types = (await eventsOf(app)).map(({ type }) => type)
      expect(types).toEqual(['client.created', 'client.disabled', 'client.enabled'])
    },
  )

  test('a disabled machine gets no tokens', async () => {
    const machine = await register(t, { type: 'machine', redirectUris: [] })
    const ask = () => postForm(t, machine, '/oauth2/token', { grant_type: 'client_credentials' })
    const token = String((await ask()).json['access_token'])
    expect((await postForm(t, machine, '/oauth2/introspect', { token })).json).toMatchObject({ active: true })
    await update(machine, { disabled: true })
    expect((await ask()).json).toMatchObject({ error: 'invalid_client' })
    expect((await postForm(t, machine, '/oauth2/introspect', { token })).json).toMatchObject({ error: 'invalid_client' })
  })
})

test('no browser is sent to the sign-out address of a disabled application', async () => {
  const back = 'https://rp.example/bye'
  const app = await register(t, { postLogoutRedirectUris: [back] })
  const params = new URLSearchParams({ client_id: app.clientId, post_logout_redirect_uri: back })
  const leave = async () => (await t.client().request(`/oauth2/end-session?${params}`)).location
  expect(await leave()).toBe(back)
  await update(app, { disabled: true })
  expect(await leave()).toMatch(/^\/error\?/)
})

describeOnBoth('an application that is deleted', () => {
  test('deleting an application deletes its secrets, tokens and consents, and frees its id', async () => {
    const app = await register(t, { clientId: 'to-be-deleted' })
    const { json } = await redeem(t, app, await codeFor(ann, app, offline))
    const dependents = await t.app.oidc.applications.dependentsOf(systemPrincipal('test'), app.clientId)
    expect(dependents).toMatchObject({ tokens: 2, consents: 1 })
    expect(await api().deleteApplication({ params: { clientId: app.clientId } })).toEqual({ clientId: app.clientId })
    const { knex } = t.app.core.db
    for (const table of ['oidc_artifact', 'oauth_consent', 'oauth_client'])
      expect(await knex(table).where({ client_id: app.clientId })).toEqual([])
    expect((await userinfo(t, json['access_token'])).status).toBe(401)
    expect((await refresh(t, app, json['refresh_token'])).json).toMatchObject({ error: 'invalid_client' })
    const again = api().deleteApplication({ params: { clientId: app.clientId } })
    await expect(again).rejects.toMatchObject({ code: 'APPLICATION_NOT_FOUND' })
    expect((await eventsOf(app)).at(-1)).toMatchObject({ type: 'client.deleted', data: { name: 'Shop', type: 'web' } })
    const fresh = await register(t, { clientId: 'to-be-deleted' })
    expect((await redeem(t, app, 'none')).json).toMatchObject({ error_description: 'invalid client_secret' })
    expect((await redeem(t, fresh, 'none')).json).toMatchObject({ error: 'invalid_grant' })
  })

  testOnBoth('deleting an application while it gets tokens leaves no token behind', async () => {
    const app = await register(t)
    const codes = [await codeFor(ann, app, offline), await codeFor(ann, app), await codeFor(ann, app)]
    await Promise.all([
      ...codes.map((code) => redeem(t, app, code)),
      api().deleteApplication({ params: { clientId: app.clientId } }),
    ])
    expect(await t.app.core.db.knex('oidc_artifact').where({ client_id: app.clientId })).toEqual([])
  })
})

describe('the secrets of an application', () => {
  test('the secrets of an application are listed, rotated and revoked by the API', async () => {
    const { client, clientSecret } = await api().createApplication({
      body: { name: 'Calls', type: 'web', redirectUris: [redirectUri] },
    })
    const params = { clientId: client.clientId }
    const rotated = await api().rotateSecret({ params, body: { overlapSeconds: 60 } })
    const { secrets } = await api().listSecrets({ params })
    expect(secrets).toEqual(rotated.secrets)
    expect(secrets.map(({ state, hint }) => [state, hint])).toEqual([
      ['active', rotated.clientSecret.slice(0, 4)],
      ['ending', clientSecret?.slice(0, 4)],
    ])
    expect(JSON.stringify(await admin.request(`/admin/clients/${client.clientId}/secrets`))).not.toContain(rotated.clientSecret)
    const third = api().rotateSecret({ params, body: {} })
    await expect(third).rejects.toMatchObject({ status: 409, code: 'SECRET_ROTATION_IS_UNDER_WAY' })
    const [, old] = secrets
    const left = await api().revokeSecret({ params: { ...params, secretId: old?.id ?? '' } })
    expect(left.secrets).toHaveLength(1)
    const unknown = api().revokeSecret({ params: { ...params, secretId: 'none' } })
    await expect(unknown).rejects.toMatchObject({ status: 404, code: 'SECRET_NOT_FOUND' })
    await expect(api().listSecrets({ params: { clientId: 'none' } })).rejects.toMatchObject({ code: 'APPLICATION_NOT_FOUND' })
    await expect(api().rotateSecret({ params, body: { overlapSeconds: -1 } })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })
})

describeOnBoth('the list of applications', () => {
  test('the list of applications is sorted, filtered, searched by name, and read page by page', async () => {
    const names = ['Zebra 1', 'zebra 2', 'ZEBRA 3', 'Äpfel', 'a zebra', '100% zebra_']
    for (const name of names) await register(t, { name, ...(name === 'Äpfel' ? { type: 'spa' } : {}) })
    const list = async (query: object) => {
      const found: string[] = []
      for (let after: string | undefined; ; ) {
        const page = await api().listApplications({ query: { limit: 2, ...query, ...(after === undefined ? {} : { after }) } })
        found.push(...page.clients.map(({ name }) => name))
        if (page.next === null) return found
        after = page.next
      }
    }
    const zebras = ['100% zebra_', 'a zebra', 'Zebra 1', 'zebra 2', 'ZEBRA 3']
    expect(await list({ search: 'zEbra', sort: 'name', order: 'asc' })).toEqual(zebras)
    expect(await list({ search: 'ZEBRA' })).toEqual(zebras)
    expect(await list({ search: 'eBr', sort: 'name', order: 'desc' })).toEqual(zebras.toReversed())
    expect(await list({ search: '3 ebra' })).toEqual(['ZEBRA 3'])
    expect((await api().listApplications({ query: { search: 'ebra', limit: 1, total: 'true' } })).total).toEqual({
      count: 5,
      isExact: true,
    })
    await expect(list({ search: 'ZEBRA', order: 'asc' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(await list({ search: 'äP' })).toEqual(['Äpfel'])
    for (const search of ['%', '_', 'eb', 'zeb%ra']) expect(await list({ search })).toEqual([])
    expect(await list({ type: 'spa' })).toEqual(['Äpfel'])
    const all = await list({ sort: 'name', order: 'asc' })
    expect(all.length).toBeGreaterThan(names.length)
    expect(all).toEqual((await list({ sort: 'name', order: 'desc' })).reverse())
    const [clientId] = (await api().listApplications({ query: { search: 'zebra 2' } })).clients.map((client) => client.clientId)
    await update({ clientId: clientId ?? '', secret: undefined }, { disabled: true })
    expect(await list({ disabled: true, search: 'z' })).toEqual(['zebra 2'])
    expect((await api().listApplications({ query: { search: 'ebra', disabled: 'false', total: 'true' } })).total?.count).toBe(4)
    expect(await list({ search: 'zebra', disabled: false, sort: 'name' })).toEqual([
      'ZEBRA 3',
      'Zebra 1',
      'a zebra',
      '100% zebra_',
    ])
    expect(await list({ search: 'zebra', disabled: true, type: 'web' })).toEqual(['zebra 2'])
    expect(await list({ disabled: true, type: 'spa' })).toEqual([])
    expect(await list({ disabled: false, type: 'spa' })).toEqual(['Äpfel'])
  })

  testOnBoth('the list of applications uses an index, however many there are', async () => {
    await fill(t, 'oauth_client', 6_000, {
      ...{ id: "'many' || n.n", client_id: "'many' || n.n", name: "'Many ' || n.n", name_key: "'many ' || n.n" },
      ...{ redirect_urls: "'[]'", post_logout_redirect_urls: "'[]'", web_origins: "'[]'", type: "'web'", scope: "''" },
      ...{
        id_token_alg: "'RS256'",
        skip_consent: 'false',
        disabled: 'false',
        created_at: secondsIn2026,
        updated_at: secondsIn2026,
      },
    })
    await fill(t, 'oauth_client_search_text', 6_000, { oauth_client_id: "'many' || n.n", text: "'  many  ' || n.n" })
    const queries = [
      {},
      { sort: 'name' },
      { search: 'many 59', sort: 'name' },
      { search: '5999' },
      { order: 'asc', type: 'web' },
    ] as const
    for (const query of queries) {
      const read = () =>
        t.app.oidc.applications.list(systemPrincipal('test'), { order: 'desc', sort: 'createdAt', limit: 50, ...query })
      expect(await planFaults(t, { tables: ['oauth_client'], sorts: 'search' in query }, read)).toEqual([])
    }
  })
})
