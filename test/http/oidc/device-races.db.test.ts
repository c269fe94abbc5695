/** Programs on devices that a person authorizes with a code (RFC 8628). */
import { afterAll, beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Answer, Client as Browser } from '../../support/client.ts'
import { outcome } from '../../support/passkeys.ts'
import { type Application, goOn, postForm, redeem, refresh, register, uidOf, userinfo } from './flow.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:device_code'

let t: TestApp
let other: TestApp
let television: Application
beforeAll(async () => {
  t = await testApp()
  other = await t.node()
  television = await register(t, { name: 'Television', type: 'native', redirectUris: [], deviceFlow: true })
})
afterAll(async () => {
  await other.stop()
  await t.stop()
})

const ask = (more: Readonly<Record<string, string>> = {}, node = t, client = television) =>
  postForm(node, client, '/oauth2/device', { scope: 'openid email', ...more })
const codesOf = ({ json }: Answer) => ({ device: String(json['device_code']), user: String(json['user_code']) })
const poll = (device: string, node = t, client = television) =>
  postForm(node, client, '/oauth2/token', { grant_type: grantType, device_code: device })
const errorOf = ({ status, json }: Answer) => [status, json['error']]

/** Continues from the page until the browser returns to it. */
const confirm = async (browser: Browser, user: string, accept = true) => {
  const { json } = await browser.post('/oauth2/device/confirm', { userCode: user })
  return goOn(browser, await browser.request(String(json['redirectURI'])), accept)
}
const whereOf = (answer: Answer) => answer.location?.replace(t.url, '').replace(/client_id.*|=[\w-]{43}$/, '')

describeOnBoth('the device flow', () => {
  testOnBoth(
    'a device gets a code, and then its tokens once a person has entered the code, signed in and given consent',
    async () => {
      const answer = await ask()
      expect(answer.status).toBe(200)
      const { device, user } = codesOf(answer)
      expect(user).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
      expect(answer.json).toMatchObject({
        verification_uri: `${t.url}/device`,
        verification_uri_complete: `${t.url}/device?user_code=${user}`,
        expires_in: 600,
        interval: 5,
      })
      expect(errorOf(await poll(device))).toEqual([400, 'authorization_pending'])

      const ann = await t.signedIn('ann@example.com')
      const { json: shown } = await ann.post('/oauth2/device/request', { userCode: user.toLowerCase().replace('-', ' ') })
      expect(shown).toMatchObject({
        userCode: user,
        client: { name: 'Television', standing: 'registered' },
        scopes: ['openid', 'email'],
        isElsewhere: false,
      })
      expect(whereOf(await confirm(ann, user))).toContain('/device?done')

      const tokens = await poll(device, other)
      expect(tokens.status).toBe(200)
      expect(tokens.json).toMatchObject({ token_type: 'Bearer', scope: 'openid email', id_token: expect.any(String) })
      expect((await userinfo(t, tokens.json['access_token'])).json).toMatchObject({ email: 'ann@example.com' })
      expect(tokens.json).not.toHaveProperty('refresh_token')
      // The device code is used up, and a second use revokes its tokens.
      expect(errorOf(await poll(device))).toEqual([400, 'invalid_grant'])
      expect((await userinfo(t, tokens.json['access_token'])).status).toBe(401)
      expect((await ann.post('/oauth2/device/request', { userCode: user })).status).toBe(404)
    },
  )

  test('a device gets a refresh token for offline_access, and the consent page asks for offline_access', async () => {
    const { device, user } = codesOf(await ask({ scope: 'openid offline_access' }))
    const ben = await t.signedIn('ben@example.com')
    await confirm(ben, user)
    const { json } = await poll(device)
    expect(json['refresh_token']).toEqual(expect.any(String))
    const ended = await ben.api.sessions.signOut({})
    expect(ended).toBeDefined()
    expect((await refresh(t, television, json['refresh_token'])).status).toBe(200)
  })

  test("a device loses its tokens when the person's session ends, unless it has offline access", async () => {
    const { device, user } = codesOf(await ask())
    const cleo = await t.signedIn('cleo@example.com')
    await confirm(cleo, user)
    await cleo.api.sessions.signOut({})
    expect(errorOf(await poll(device))).toEqual([400, 'invalid_grant'])
  })

  test('a person who has to sign in first returns to the device page after the sign-in', async () => {
    await t.signedIn('dora@example.com')
    const { device, user } = codesOf(await ask())
    const browser = t.client()
    const { json } = await browser.post('/oauth2/device/confirm', { userCode: user })
    const started = await browser.request(String(json['redirectURI']))
    expect(started.location).toMatch(/^\/sign-in\?interaction=/)
    await browser.api.accounts.signInEmail({ body: { email: 'dora@example.com', password: 'correct horse battery' } })
    const done = await goOn(browser, await browser.request(`/interaction/${uidOf(started)}`))
    expect(done.location).toContain('/device?done=')
    expect((await poll(device)).status).toBe(200)
  })

  testOnBoth('a device gets access_denied when the person refuses it, on the code page or at consent', async () => {
    const first = codesOf(await ask())
    const eve = await t.signedIn('eve@example.com')
    expect((await eve.post('/oauth2/device/refuse', { userCode: first.user })).json).toEqual({ status: true })
    expect(errorOf(await poll(first.device))).toEqual([400, 'access_denied'])
    expect((await eve.post('/oauth2/device/confirm', { userCode: first.user })).status).toBe(404)
    const second = codesOf(await ask())
    expect(whereOf(await confirm(eve, second.user, false))).toBe('/device?problem=refused')
    expect(errorOf(await poll(second.device))).toEqual([400, 'access_denied'])
    expect((await t.app.audit.list({ type: 'device.refused' }, 10)).length).toBe(2)
  })

  testOnBoth('a device that polls either node too often gets slow_down', async () => {
    const { device } = codesOf(await ask())
    expect(errorOf(await poll(device))).toEqual([400, 'authorization_pending'])
    expect(errorOf(await poll(device, other))).toEqual([400, 'slow_down'])
    t.clock.advance({ seconds: 6 })
    expect(errorOf(await poll(device))).toEqual([400, 'authorization_pending'])
  })

  test('after a device code expires the device gets expired_token, and the person cannot use the code either', async () => {
    const { device, user } = codesOf(await ask())
    const fay = await t.signedIn('fay@example.com')
    const { json } = await fay.post('/oauth2/device/confirm', { userCode: user })
    t.clock.advance({ seconds: 601 })
    expect(errorOf(await poll(device))).toEqual([400, 'expired_token'])
    expect(outcome(await fay.post('/oauth2/device/request', { userCode: user }))).toEqual([404, 'DEVICE_CODE_NOT_FOUND'])
    expect((await fay.request(String(json['redirectURI']))).location).toBe('/device?problem=expired')
  })
})

describeOnBoth('clients of the device flow', () => {
  test('a client that is not registered for the device flow gets no device code, and a machine cannot be registered for the device flow', async () => {
    const shop = await register(t)
    expect(errorOf(await ask({}, t, shop))).toEqual([400, 'unauthorized_client'])
    expect(errorOf(await poll('any', t, shop))).toEqual([400, 'unauthorized_client'])
    await expect(register(t, { type: 'machine', redirectUris: [], deviceFlow: true })).rejects.toMatchObject({
      code: 'INVALID_CLIENT_METADATA',
    })
  })

  test('a client without a redirect address can use only the device flow', async () => {
    const { json } = await t.client().request('/.well-known/openid-configuration')
    expect(json).toMatchObject({ device_authorization_endpoint: `${t.url}/oauth2/device` })
    expect(json['grant_types_supported']).toContain(grantType)
    expect(errorOf(await redeem(t, television, 'any'))).toEqual([400, 'unauthorized_client'])
  })

  testOnBoth('a client gets no device code for an unknown scope, and cannot use the device code of another client', async () => {
    expect(errorOf(await ask({ scope: 'openid everything' }))).toEqual([400, 'invalid_scope'])
    const { device, user } = codesOf(await ask())
    const second = await register(t, { name: 'Radio', type: 'native', redirectUris: [], deviceFlow: true })
    await confirm(await t.signedIn('gil@example.com'), user)
    expect(errorOf(await poll(device, t, second))).toEqual([400, 'invalid_grant'])
    expect((await poll(device)).status).toBe(200)
  })
})

describeOnBoth('races of the device flow', () => {
  testOnBoth('at most one of two simultaneous polls on two nodes gets valid tokens', async () => {
    const { device, user } = codesOf(await ask())
    await confirm(await t.signedIn('hal@example.com'), user)
    const answers = await Promise.all([poll(device), poll(device, other), poll(device), poll(device, other)])
    const won = answers.filter(({ status }) => status === 200)
    expect(won.length).toBeLessThanOrEqual(1)
    expect(answers.filter(({ status }) => status !== 200).map(errorOf)).toEqual(
      answers.filter(({ status }) => status !== 200).map(() => [400, 'invalid_grant']),
    )
  })

  testOnBoth(
    'of a simultaneous approval and refusal on two nodes exactly one is stored, and the device gets the stored decision',
    async () => {
      for (let round = 0; round < 5; round++) {
        const { device, user } = codesOf(await ask())
        const ann = await t.signedIn(`racer-${round}@example.com`)
        // Does everything except the last step.
        const { json } = await ann.post('/oauth2/device/confirm', { userCode: user })
        const asked = await ann.request(String(json['redirectURI']))
        const { redirectURI } = await ann.api.oidc.consent({ body: { accept: true, interaction: uidOf(asked) } })
        const refusing = fetch(new URL('/oauth2/device/refuse', other.url), {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: t.url },
          body: JSON.stringify({ userCode: user }),
        })
        const [approved, refused] = await Promise.all([ann.request(redirectURI), refusing])
        const isApproved = approved.location?.includes('done=') === true
        expect(isApproved).toBe(refused.status !== 200)
        const told = await poll(device)
        expect(isApproved ? told.status : told.json['error']).toBe(isApproved ? 200 : 'access_denied')
        t.clock.advance({ seconds: 11 })
      }
    },
  )

  testOnBoth('if two people authorize a device at the same time, one of them succeeds', async () => {
    const { device, user } = codesOf(await ask())
    const people = [await t.signedIn('ida@example.com'), await t.signedIn('jo@example.com')]
    const answers = await Promise.all(people.map((person) => confirm(person, user)))
    const done = answers.filter(({ location }) => location?.includes('done='))
    expect(done).toHaveLength(1)
    expect((await poll(device)).status).toBe(200)
  })
})

describeOnBoth('attacks on the device flow', () => {
  test('the address of the device consent page works only unchanged and in the browser that confirmed the code', async () => {
    const { user } = codesOf(await ask())
    const thief = t.client()
    const { json } = await thief.post('/oauth2/device/confirm', { userCode: user })
    const victim = await t.signedIn('victim@example.com')
    expect((await victim.request(String(json['redirectURI']))).location).toBe('/device?problem=expired')
    expect((await thief.request(`${String(json['redirectURI']).slice(0, -4)}AAAA`)).location).toBe('/device?problem=expired')
    expect((await thief.request('/oauth2/device/continue', { method: 'POST' })).status).toBe(404)
    expect(
      (
        await fetch(new URL('/oauth2/device/confirm', t.url), {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
          body: JSON.stringify({ userCode: user }),
        })
      ).status,
    ).toBe(403)
  })

  test('a device code cannot be read from the database', async () => {
    const { device, user } = codesOf(await ask())
    await confirm(await t.signedIn('kim@example.com'), user)
    const { knex } = t.app.core.db
    const stored = JSON.stringify([await knex('device_code'), await knex('oidc_artifact')])
    expect(stored).not.toContain(device)
    expect(stored).not.toContain(user.replace('-', ''))
    const [row] = await knex('device_code').whereIn(
      'id',
      knex('oidc_artifact').where({ kind: 'DeviceCode' }).whereNotNull('account_id').select('id'),
    )
    expect(errorOf(await poll(`#${row.id}`))).toEqual([400, 'invalid_grant'])
    expect(errorOf(await poll(row.id))).toEqual([400, 'invalid_grant'])
  })

  testOnBoth('guessing device codes is slowed down across all nodes', async () => {
    const guessing = await testApp()
    const second = await guessing.node()
    const tried: number[] = []
    for (let i = 0; i < 40; i++) {
      const node = i % 2 === 0 ? guessing : second
      tried.push((await node.client().post('/oauth2/device/request', { userCode: 'BCDF-GHJK' })).status)
    }
    expect(tried.filter((status) => status === 404)).toHaveLength(30)
    expect(tried.slice(-5)).toEqual([429, 429, 429, 429, 429])
    await second.stop()
    await guessing.stop()
  })
})
