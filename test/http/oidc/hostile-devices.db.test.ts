/** Refused requests of a device: for a code, and for tokens after the approval. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { codeFor, goOn, type Params, redirectUri } from './flow.ts'
import {
  attempt,
  hostileApp,
  hostileAssertions,
  hostileForms,
  hostileProofs,
  type Pairs,
  refusalOf,
  type Target,
} from './hostile.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
let t: TestApp
let ann: Browser
/** The valid request for a code, and the one for tokens with an approved code. */
let asking: Target
let polling: Target
let hostile: Awaited<ReturnType<typeof hostileApp>>

const newCodes = async (by = asking) => {
  const { json } = await attempt(by)
  return { device: String(json['device_code']), user: String(json['user_code']) }
}
const formOf = (device: string): Params => ({ grant_type: grantType, device_code: device })
const confirm = async (user: string) => {
  const { json } = await ann.post('/oauth2/device/confirm', { userCode: user })
  return goOn(ann, await ann.request(String(json['redirectURI'])))
}
const approved = async () => {
  const { device, user } = await newCodes()
  await confirm(user)
  return formOf(device)
}
const poll = async (form: Params) => attempt({ ...polling, form })

beforeAll(async () => {
  hostile = await hostileApp({ authMethod: 'private_key_jwt', deviceFlow: true, redirectUris: [redirectUri] })
  t = hostile.t
  ann = await t.signedIn('ann@example.com')
  asking = { ...hostile.target, path: '/oauth2/device', proofKey: undefined, form: { scope: 'openid email' } }
  polling = { ...hostile.target, form: await approved() }
})
afterAll(() => hostile.stop())

test.each(hostileAssertions)('a client assertion %s gets neither codes nor tokens of a device', async (_, make, error) => {
  expect(refusalOf(await attempt(asking, { assertion: await make(asking) }))).toBe(error)
  expect(refusalOf(await attempt(polling, { assertion: await make(polling) }))).toBe(error)
})

test.each(hostileProofs)('a DPoP proof %s gets no tokens of a device', async (_, make, error) => {
  expect(refusalOf(await attempt(polling, { proof: await make(polling) }))).toBe(error)
})

test.each(hostileForms)('a request %s gets no tokens of a device', async (_, make, error) => {
  expect(refusalOf(await attempt(polling, await make(polling)))).toBe(error)
})

describe('hostile requests of a device', () => {
  const requests: readonly (readonly [string, Params, string])[] = [
    ['for an unknown scope', { scope: 'openid everything' }, 'invalid_scope'],
    ['for a scope in capitals', { scope: 'openid EMAIL' }, 'invalid_scope'],
    ['for an unknown API', { resource: 'https://nobody.example' }, 'invalid_target'],
    ['for an API by no address', { resource: 'nobody' }, 'invalid_target'],
    ['with an age that is text', { max_age: 'old' }, 'invalid_request'],
    ['with claims that are no JSON', { claims: '{' }, 'invalid_request'],
    ['with an object that is no token', { request: 'nonsense' }, 'invalid_request_object'],
  ]
  test.each(requests)('a device that asks %s gets no device code', async (_, form, error) => {
    expect(refusalOf(await attempt({ ...asking, form: { ...asking.form, ...form } }))).toBe(error)
  })

  test.each(['scope', 'client_assertion', 'client_assertion_type'])(
    'a device that sends %s twice gets no device code',
    async (name) => {
      const form = (pairs: Pairs) => [...pairs, ...pairs.filter(([one]) => one === name)]
      expect(refusalOf(await attempt(asking, { form }))).toBe('invalid_request')
    },
  )

  test('a device that sends its device code twice gets no tokens', async () => {
    const form = (pairs: Pairs) => [...pairs, ...pairs.filter(([one]) => one === 'device_code')]
    expect(refusalOf(await attempt(polling, { form }))).toBe('invalid_request')
  })

  const values: readonly (readonly [string, (code: string) => string | undefined, string])[] = [
    ['that is missing', () => undefined, 'invalid_request'],
    ['that is empty', () => '', 'invalid_request'],
    ['that is unknown', () => 'x'.repeat(43), 'invalid_grant'],
    ['that is cut', (code) => code.slice(0, -1), 'invalid_grant'],
    ['that is longer', (code) => `${code}A`, 'invalid_grant'],
    ['with a space behind it', (code) => `${code} `, 'invalid_grant'],
    ['with a zero byte behind it', (code) => `${code}\0`, 'invalid_grant'],
    ['that is a statement', () => "' OR '1'='1", 'invalid_grant'],
    ['with the mark of a name before it', (code) => `#${code}`, 'invalid_grant'],
    ['with a dot before it', (code) => `.${code}`, 'invalid_grant'],
    ['of the form of a JWT', (code) => `a.${code}.b`, 'invalid_grant'],
    ['of a hundred thousand letters', () => 'x'.repeat(100_000), 'invalid_request'],
  ]
  test.each(values)('a device gets no tokens by a device code %s', async (_, change, error) => {
    expect(refusalOf(await poll({ ...polling.form, device_code: change(String(polling.form['device_code'])) }))).toBe(error)
  })

  test('a device gets no tokens by the user code, an authorization code, or the device code of another client', async () => {
    const { device, user } = await newCodes()
    expect(refusalOf(await poll(formOf(user)))).toBe('invalid_grant')
    await confirm(user)
    expect(refusalOf(await poll(formOf(user)))).toBe('invalid_grant')
    expect(refusalOf(await attempt({ ...polling, ...polling.other, form: formOf(device) }))).toBe('invalid_grant')
    const code = await codeFor(ann, { clientId: polling.clientId, secret: undefined })
    expect(refusalOf(await poll(formOf(code)))).toBe('invalid_grant')
    const asCode = { grant_type: 'authorization_code', code: device, redirect_uri: redirectUri, code_verifier: 'x'.repeat(43) }
    expect(refusalOf(await poll(asCode))).toBe('invalid_grant')
    expect(refusalOf(await poll({ grant_type: 'refresh_token', refresh_token: device }))).toBe('invalid_grant')
    expect((await poll(formOf(device))).status).toBe(200)
  })

  test('a device without approval, after a refusal, or after the expiry gets no tokens', async () => {
    const waiting = await newCodes()
    expect(refusalOf(await poll(formOf(waiting.device)))).toBe('authorization_pending')
    expect(refusalOf(await poll(formOf(waiting.device)))).toBe('slow_down')
    const refused = await newCodes()
    await ann.post('/oauth2/device/refuse', { userCode: refused.user })
    expect(refusalOf(await poll(formOf(refused.device)))).toBe('access_denied')
    const late = await approved()
    t.clock.advance({ seconds: 601 })
    expect(refusalOf(await poll(late))).toBe('expired_token')
    expect(refusalOf(await poll(formOf(waiting.device)))).toBe('expired_token')
    polling = { ...polling, form: await approved() }
  })

  test('a second use of a device code ends the tokens of the first use', async () => {
    const form = await approved()
    const { json } = await poll(form)
    expect(refusalOf(await poll(form))).toBe('invalid_grant')
    const look = { ...polling, proofKey: undefined, path: '/oauth2/introspect', form: { token: String(json['access_token']) } }
    expect((await attempt(look)).json).toEqual({ active: false })
  })

  test.each<[string, unknown, number]>([
    ['an unknown code', 'BCDF-GHJK', 404],
    ['no code', undefined, 400],
    ['nothing', '', 400],
    ['a number', 7, 400],
    ['a list', ['BCDF-GHJK'], 400],
    ['an SQL statement', "' OR '1'='1", 404],
    ['a thousand letters', 'B'.repeat(1_000), 400],
    ['the code of the device', 'itself', 404],
  ])('the device page finds no device by %s', async (title, userCode, status) => {
    const sent = title === 'the code of the device' ? String(polling.form['device_code']) : userCode
    for (const path of ['request', 'confirm', 'refuse'])
      expect([path, (await ann.post(`/oauth2/device/${path}`, { userCode: sent })).status]).toEqual([path, status])
  })
})

test('the valid requests behind the hostile variants succeed, and no internal address was called', async () => {
  expect((await attempt(asking)).json).toMatchObject({ device_code: expect.any(String), user_code: expect.any(String) })
  expect((await attempt(polling)).json).toMatchObject({ token_type: 'DPoP', scope: 'openid email' })
  expect(hostile.inside.asked).toEqual([])
})
