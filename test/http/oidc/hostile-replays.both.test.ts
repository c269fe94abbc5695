/** Assertions and proofs that are sent again to another node at the same moment: for every grant, one request is answered. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client as Browser } from '../../support/client.ts'
import { assert, newKey } from './asserting.ts'
import { codeFor, goOn, offline, type Params, redirectUri, register } from './flow.ts'
import { attempt, keyOf, refusalOf, type Target } from './hostile.ts'
import { clientKey, codeForm, proofFor } from './proofs.ts'

const many = 4
let t: TestApp
let second: TestApp
let ann: Browser
let shop: Target
let machine: Target
const [front, back] = ['https://front.example', 'https://back.example']
const types = 'urn:ietf:params:oauth:token-type'
const grants = 'urn:ietf:params:oauth:grant-type'

beforeAll(async () => {
  t = await testApp()
  second = await t.node()
  const admin = await signedInAs(t, 'admin')
  ann = await t.signedIn('ann@example.com')
  const key = await newKey()
  const targetOf = async (more: object): Promise<Target> => {
    const { clientId } = await register(t, { authMethod: 'private_key_jwt', jwks: { keys: [key.jwk] }, ...more })
    const other = { clientId: 'nobody', key }
    return { t, path: '/oauth2/token', clientId, key, proofKey: await clientKey(), form: {}, other, inside: '' }
  }
  shop = await targetOf({ deviceFlow: true, skipConsent: true, redirectUris: [redirectUri] })
  machine = await targetOf({ name: 'Machine', type: 'machine', redirectUris: [] })
  const api = (identifier: string, clients: readonly object[]) =>
    admin.api.apis.createApi({
      body: { identifier, name: identifier, scopes: [{ name: 'read', description: 'Read' }], clients } as never,
    })
  await api(front, [{ clientId: shop.clientId }])
  await api(back, [{ clientId: machine.clientId, exchangeFrom: [front] }])
})
afterAll(async () => {
  await second.stop()
  await t.stop()
})

const bare = () => ({ clientId: shop.clientId, secret: undefined })
const signIn = async (params: Params, by = shop) =>
  (await attempt({ ...by, form: codeForm(await codeFor(ann, bare(), params)) })).json
const newDevice = async (): Promise<Params> => {
  const { json } = await attempt({ ...shop, path: '/oauth2/device', proofKey: undefined, form: { scope: 'openid' } })
  const confirmed = await ann.post('/oauth2/device/confirm', { userCode: String(json['user_code']) })
  await goOn(ann, await ann.request(String(confirmed.json['redirectURI'])))
  return { grant_type: `${grants}:device_code`, device_code: String(json['device_code']) }
}

/** The client of each grant, and its valid requests in order. */
const requests: readonly (readonly [string, () => Target, () => Promise<Params>])[] = [
  ['a code', () => shop, async () => codeForm(await codeFor(ann, bare()))],
  [
    'a refresh token',
    () => shop,
    async () => ({ grant_type: 'refresh_token', refresh_token: String((await signIn(offline))['refresh_token']) }),
  ],
  ['the code of a device', () => shop, newDevice],
  ['the machine itself', () => machine, async () => ({ grant_type: 'client_credentials' })],
  [
    'the token of a person',
    () => machine,
    async () => {
      const { access_token } = await signIn({ scope: 'openid read', resource: front }, { ...shop, proofKey: undefined })
      const subject = { subject_token: String(access_token), subject_token_type: `${types}:access_token` }
      return { grant_type: `${grants}:token-exchange`, ...subject, resource: back }
    },
  ],
]
/** Sends valid requests alternately to the two nodes. */
const targetsOf = async (target: Target, form: () => Promise<Params>): Promise<readonly Target[]> => {
  const targets: Target[] = []
  for (let i = 0; i < many; i++) targets.push({ ...target, t: i % 2 === 0 ? t : second, form: await form() })
  return targets
}

test.each(requests)(
  'of several simultaneous requests at two nodes with one client assertion for %s, exactly one succeeds',
  async (_, of, form) => {
    const targets = await targetsOf(of(), form)
    const assertion = await assert(t, of().clientId, keyOf(of()))
    const proof = async ({ proofKey }: Target) =>
      proofKey === undefined ? {} : { proof: await proofFor(t, proofKey, '/oauth2/token') }
    const answers = await Promise.all(targets.map(async (target) => attempt(target, { assertion, ...(await proof(target)) })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expect(refusalOf(answer)).toBe('invalid_client')
  },
)

test.each(requests)(
  'of several simultaneous requests at two nodes with one DPoP proof for %s, exactly one succeeds',
  async (_, of, form) => {
    const targets = await targetsOf(of(), form)
    const { clientId, proofKey } = of()
    if (proofKey === undefined) throw new Error('the grant takes no proof')
    const proof = await proofFor(t, proofKey, '/oauth2/token')
    const answers = await Promise.all(
      targets.map(async (target) => attempt(target, { proof, assertion: await assert(t, clientId, keyOf(target)) })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expect(refusalOf(answer)).toBe('invalid_dpop_proof')
  },
)
