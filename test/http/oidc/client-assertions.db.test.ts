import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { base64url, SignJWT } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { describe, describeOnBoth, test, testOnBoth } from '../../support/both-databases.ts'
import type { Answer } from '../../support/client.ts'
import { askToken, assert, assertionType, newKey, postAsserted, type SigningKey } from './asserting.ts'
import { type Application, authorizePath, codeFor, postForm, redeem, register, verifier } from './flow.ts'

let t: TestApp
let secondNode: TestApp
let key: SigningKey
let machine: Application
/** The answer of the jwks_uri, and the number of requests to it. */
let published: { keys: readonly object[] } | string = { keys: [] }
let asked = 0
const server = createServer((_, res) => {
  asked += 1
  res.setHeader('content-type', 'application/json')
  res.end(typeof published === 'string' ? published : JSON.stringify(published))
})
let jwksUri: string

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  jwksUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
  t = await testApp({ config: { outbound: { allowHttp: true, allow: ['127.0.0.1'] } } })
  secondNode = await t.node()
  key = await newKey()
  machine = await register(t, { type: 'machine', redirectUris: [], authMethod: 'private_key_jwt', jwks: { keys: [key.jwk] } })
})
afterAll(async () => {
  server.close()
  await secondNode.stop()
  await t.stop()
})

const refusal = ({ status, json }: Answer) => [status, json['error']]
const invalid = [401, 'invalid_client']
const update = (clientId: string, changes: object) =>
  t.app.oidc.applications.update(systemPrincipal('test'), clientId, changes as never)

describeOnBoth('a client with private_key_jwt', () => {
  test('a private_key_jwt client gets a token by a client assertion signed with its private key, and has no secret', async () => {
    expect(machine.secret).toBeUndefined()
    expect((await askToken(t, await assert(t, machine.clientId, key))).status).toBe(200)
  })

  test.each(['RS256', 'PS256', 'EdDSA', 'Ed25519'])('a private_key_jwt client can sign with %s', async (alg) => {
    const own = await newKey('a', alg)
    const client = await register(t, {
      ...{ type: 'machine', redirectUris: [], authMethod: 'private_key_jwt', jwks: { keys: [own.jwk] } },
    })
    expect((await askToken(t, await assert(t, client.clientId, own))).status).toBe(200)
  })

  testOnBoth('of 16 simultaneous requests with one client assertion at two nodes, exactly one succeeds', async () => {
    const assertion = await assert(t, machine.clientId, key)
    const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => askToken(i % 2 === 0 ? t : secondNode, assertion)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expect(refusal(answer)).toEqual(invalid)
  })

  testOnBoth('a client assertion is used up by its first request, even if the request fails for another reason', async () => {
    const assertion = await assert(t, machine.clientId, key)
    expect((await askToken(t, assertion, { scope: 'nosuch' })).status).toBe(400)
    expect(await askToken(secondNode, assertion).then(refusal)).toEqual(invalid)
  })

  test('an expired client assertion is refused even after its row has been deleted', async () => {
    const assertion = await assert(t, machine.clientId, key)
    expect((await askToken(t, assertion)).status).toBe(200)
    t.clock.advance({ minutes: 10 })
    await t.app.oidc.sweep()
    expect(await askToken(t, assertion).then(refusal)).toEqual(invalid)
  })

  test('a private_key_jwt client also authenticates at introspection, revocation and pushed requests', async () => {
    const web = await register(t, { authMethod: 'private_key_jwt', jwks: { keys: [key.jwk] } })
    const ann = await t.signedIn('ann@example.com')
    const code = await codeFor(ann, web)
    const form = { grant_type: 'authorization_code', code, redirect_uri: 'https://rp.example/callback', code_verifier: verifier }
    const { status, json } = await postAsserted(t, '/oauth2/token', await assert(t, web.clientId, key), form)
    expect(status).toBe(200)
    const token = String(json['access_token'])
    const introspected = await postAsserted(t, '/oauth2/introspect', await assert(t, web.clientId, key), { token })
    expect(introspected.json).toMatchObject({ active: true, client_id: web.clientId })
    expect((await postAsserted(t, '/oauth2/revoke', await assert(t, web.clientId, key), { token })).status).toBe(200)
    const pushed = Object.fromEntries(new URL(authorizePath(web), t.url).searchParams)
    const par = await postAsserted(t, '/oauth2/par', await assert(t, web.clientId, key), pushed)
    expect(par.status).toBe(201)
  })

  test('a private_key_jwt client is refused with a client secret, even a secret from before the change of its method', async () => {
    const before = await register(t, { type: 'machine', redirectUris: [] })
    const { clientId } = before
    await update(clientId, { authMethod: 'private_key_jwt', jwks: { keys: [key.jwk] } })
    const form = { grant_type: 'client_credentials' }
    expect(await postForm(t, before, '/oauth2/token', form).then(refusal)).toEqual(invalid)
    const bare = { clientId, secret: undefined }
    expect(await postForm(t, bare, '/oauth2/token', { ...form, client_secret: before.secret }).then(refusal)).toEqual(invalid)
    expect(await postForm(t, bare, '/oauth2/token', form).then(refusal)).toEqual(invalid)
    expect(await t.app.oidc.clientSecrets.list(systemPrincipal('test'), clientId)).toEqual([])
    await expect(t.app.oidc.clientSecrets.rotate(systemPrincipal('test'), clientId, { overlapSeconds: 0 })).rejects.toThrow(
      'private_key_jwt',
    )
  })

  test('a private_key_jwt client that changes back to a secret gets a new secret', async () => {
    const client = await register(t, {
      ...{ type: 'machine', redirectUris: [], authMethod: 'private_key_jwt', jwks: { keys: [key.jwk] } },
    })
    await update(client.clientId, { authMethod: 'client_secret_basic' })
    const { secret } = await t.app.oidc.clientSecrets.rotate(systemPrincipal('test'), client.clientId, { overlapSeconds: 0 })
    const form = { grant_type: 'client_credentials' }
    expect((await postForm(t, { clientId: client.clientId, secret }, '/oauth2/token', form)).status).toBe(200)
    expect(await askToken(t, await assert(t, client.clientId, key)).then(refusal)).toEqual(invalid)
  })

  test('unusable keys, oversized keys and private keys are refused at registration', async () => {
    const wants = (jwk: SigningKey['jwk'], more = {}) =>
      register(t, { authMethod: 'private_key_jwt', jwks: { keys: [jwk] }, ...more }).then(
        () => 'registered',
        ({ message }: Error) => message,
      )
    const { jwk: rsa } = await newKey('r', 'RS256', { modulusLength: 2048 })
    expect(await wants({ ...rsa, n: `${rsa['n']}${'A'.repeat(2_000)}` })).toContain('more than 8192 bits')
    expect(await wants({ ...rsa, e: 'A'.repeat(40) })).toContain('exponent')
    expect(await wants({ kty: 'RSA', n: 'AQ', e: 'AQAB' })).toContain('needs jwks with a key that signs')
    expect(await wants({ kty: 'oct', k: 'AAAA' })).toContain('private or symmetric')
    expect(await wants({ ...key.jwk, use: 'enc' })).toContain('needs jwks with a key that signs')
    expect(await wants(key.jwk, { type: 'spa' })).toContain('cannot keep a secret or key')
    expect(await wants(key.jwk, { jwksUri })).toContain('exclude each other')
    expect(await wants(key.jwk, { idTokenAlg: 'HS256' })).toContain('HS256')
    await expect(register(t, { authMethod: 'none' })).rejects.toThrow('is for spa and native')
  })
})

describe('refused client assertions', () => {
  const seconds = () => Math.floor(Date.now() / 1000)
  const table: readonly (readonly [string, Parameters<typeof assert>[3] | (() => Parameters<typeof assert>[3])])[] = [
    ['of another issuer', { claims: { iss: 'other' } }],
    ['about another subject', { claims: { sub: 'other' } }],
    ['without a subject', { claims: { sub: undefined } }],
    ['without an issuer', { claims: { iss: undefined } }],
    ['without an audience', { claims: { aud: undefined } }],
    ['for another server', { claims: { aud: 'https://other.example' } }],
    ['for an address that only begins like this server', () => ({ claims: { aud: `${t.url}.evil.example` } })],
    ['for this server and another one', () => ({ claims: { aud: [t.url, 'https://other.example'] } })],
    ['with an empty list of audiences', { claims: { aud: [] } }],
    ['without an end', { claims: { exp: undefined } }],
    ['that has expired', () => ({ claims: { exp: seconds() - 60 } })],
    ['that counts for two hours', () => ({ claims: { exp: seconds() + 7_200 } })],
    ['that counts for ever', { claims: { exp: Number.MAX_SAFE_INTEGER } }],
    ['whose end is text', () => ({ claims: { exp: String(seconds() + 60) } })],
    ['from the future', () => ({ claims: { iat: seconds() + 600, exp: seconds() + 660 } })],
    ['that was issued days ago', () => ({ claims: { iat: seconds() - 200_000 } })],
    ['whose time of issue is text', { claims: { iat: 'now' } }],
    ['that does not count yet', () => ({ claims: { nbf: seconds() + 120 } })],
    ['without an id', { claims: { jti: undefined } }],
    ['whose id is a number', { claims: { jti: 7 } }],
    ['of another type of token', { header: { typ: 'dpop+jwt' } }],
    ['of the type of a request object', { header: { typ: 'oauth-authz-req+jwt' } }],
    ['by a key that is not registered', { header: { kid: 'k2' } }],
  ]
  test.each(table)('a client assertion %s is refused', async (_, changes) => {
    const assertion = await assert(t, machine.clientId, key, typeof changes === 'function' ? changes() : changes)
    const { status, json } = await askToken(t, assertion)
    expect(json['access_token']).toBeUndefined()
    expect(['invalid_client', 'invalid_request']).toContain(json['error'])
    expect([400, 401]).toContain(status)
  })

  test('a client assertion issued by a clock some seconds ahead is accepted', async () => {
    const ahead = { claims: { iat: seconds() + 8, nbf: seconds() + 8 } }
    expect((await askToken(t, await assert(t, machine.clientId, key, ahead))).status).toBe(200)
  })

  test('a client assertion with the token endpoint as audience is accepted, alone or together with the issuer', async () => {
    for (const aud of [`${t.url}/oauth2/token`, [t.url, `${t.url}/oauth2/token`]])
      expect((await askToken(t, await assert(t, machine.clientId, key, { claims: { aud } }))).status).toBe(200)
  })

  test('a client assertion without a signature, or signed with the public key as a shared secret, is refused', async () => {
    const good = await assert(t, machine.clientId, key)
    const [, payload = ''] = good.split('.')
    const none = base64url.encode(JSON.stringify({ alg: 'none' }))
    expect(await askToken(t, `${none}.${payload}.`).then(refusal)).toEqual(invalid)
    const confused = { alg: 'HS256', kid: 'k1' }
    for (const secret of [JSON.stringify(key.jwk), String(key.jwk['x']), ''.padEnd(32, '\0')]) {
      const forged = await assert(t, machine.clientId, { ...confused, privateKey: new TextEncoder().encode(secret) })
      expect(await askToken(t, forged).then(refusal)).toEqual(invalid)
    }
  })

  test('a client assertion signed by a key in its own header is refused', async () => {
    const own = await newKey('own')
    const header = { kid: undefined, jwk: own.jwk, jku: jwksUri, x5u: jwksUri }
    const before = asked
    expect(await askToken(t, await assert(t, machine.clientId, own, { header })).then(refusal)).toEqual(invalid)
    expect(asked).toBe(before)
  })

  test('a client assertion with an unknown critical header is refused', async () => {
    const claims = { iss: machine.clientId, sub: machine.clientId, aud: t.url, jti: 'crit', exp: seconds() + 60 }
    const signed = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', crit: ['b64'], b64: true, 'urn:x': 1 })
      .sign(key.privateKey)
    const [header = '', payload, signature] = signed.split('.')
    const named = { ...JSON.parse(new TextDecoder().decode(base64url.decode(header))), crit: ['urn:x'] }
    expect(await askToken(t, `${base64url.encode(JSON.stringify(named))}.${payload}.${signature}`).then(refusal)).toEqual(invalid)
  })

  test('a client assertion is refused when it is repeated, or sent with a second assertion, a secret or another client_id', async () => {
    const post = (pairs: [string, string][]) => postAsserted(t, '/oauth2/token', '', pairs)
    const grant: [string, string] = ['grant_type', 'client_credentials']
    const good = await assert(t, machine.clientId, key)
    const twice = await postAsserted(t, '/oauth2/token', good, [grant, ['client_assertion', good]])
    expect(refusal(twice)).toEqual([400, 'invalid_request'])
    const kinds = await postAsserted(t, '/oauth2/token', good, [grant, ['client_assertion_type', assertionType]])
    expect(refusal(kinds)).toEqual([400, 'invalid_request'])
    const secret = await postAsserted(t, '/oauth2/token', good, [grant, ['client_secret', 'x']])
    expect(refusal(secret)).toEqual([400, 'invalid_request'])
    const named = await postAsserted(t, '/oauth2/token', good, [grant, ['client_id', 'other']])
    expect(refusal(named)).toEqual([400, 'invalid_request'])
    expect((await post([grant])).status).toBeGreaterThanOrEqual(400)
    const basic = await fetch(new URL('/oauth2/token', t.url), {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${machine.clientId}:x`)}` },
      body: new URLSearchParams([grant, ['client_assertion_type', assertionType], ['client_assertion', good]] as [
        string,
        string,
      ][]),
    })
    expect(basic.status).toBe(400)
    expect((await askToken(t, good)).status).toBe(200)
  })

  test("a client registered for a secret is refused with a key's assertion, and a client registered for a key with a secret's assertion", async () => {
    const client = await register(t, { type: 'machine', redirectUris: [] })
    const secret = { alg: 'HS256', kid: 'k1', privateKey: new TextEncoder().encode(client.secret) }
    expect(await askToken(t, await assert(t, client.clientId, secret)).then(refusal)).toEqual(invalid)
    expect(await askToken(t, await assert(t, client.clientId, key)).then(refusal)).toEqual(invalid)
  })
})

describe('a client with client_secret_jwt', () => {
  const signerOf = (secret: string | undefined) => ({
    ...{ alg: 'HS256', kid: 'secret', privateKey: new TextEncoder().encode(secret) },
  })
  const sign = async (clientId: string, secret: string | undefined, changes = {}) =>
    assert(t, clientId, signerOf(secret), { header: { kid: undefined }, ...changes })

  test('a client_secret_jwt client signs with its secret, and the secret is stored sealed and never sent', async () => {
    const client = await register(t, { type: 'machine', redirectUris: [], authMethod: 'client_secret_jwt' })
    expect((await askToken(t, await sign(client.clientId, client.secret))).status).toBe(200)
    expect(await askToken(t, await sign(client.clientId, `${client.secret}x`)).then(refusal)).toEqual(invalid)
    expect(await postForm(t, client, '/oauth2/token', { grant_type: 'client_credentials' }).then(refusal)).toEqual(invalid)
    const [row] = await t.app.core.db
      .knex('client_secret')
      .where({ hint: client.secret?.slice(0, 4) })
      .select('secret')
    expect(row.secret).not.toContain(client.secret)
    expect(await askToken(t, await assert(t, client.clientId, key)).then(refusal)).toEqual(invalid)
  })

  test('during a rotation a client_secret_jwt client has two secrets, their use is recorded, and the earlier secret can be ended early', async () => {
    const client = await register(t, { authMethod: 'client_secret_jwt', idTokenAlg: 'HS256' })
    const principal = systemPrincipal('test')
    const rotated = await t.app.oidc.clientSecrets.rotate(principal, client.clientId, { overlapSeconds: 3_600 })
    const ann = await t.signedIn('rotation@example.com')
    for (const secret of [client.secret, rotated.secret]) {
      const code = await codeFor(ann, client)
      const form = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: 'https://rp.example/callback',
        code_verifier: verifier,
      }
      const { status, json } = await postAsserted(t, '/oauth2/token', await sign(client.clientId, secret), form)
      expect(status).toBe(200)
      // The ID token is signed with the secret that its reader has.
      const [header = '', payload = '', signature = ''] = String(json['id_token']).split('.')
      const raw = new TextEncoder().encode(secret)
      const hmac = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
      const bytes = new TextEncoder().encode(`${header}.${payload}`)
      expect(await crypto.subtle.verify('HMAC', hmac, Buffer.from(signature, 'base64url'), bytes)).toBe(true)
    }
    await t.app.oidc.clients.flushUsage()
    const listed = await t.app.oidc.clientSecrets.list(principal, client.clientId)
    expect(listed.map(({ state, lastUsedAt }) => [state, lastUsedAt !== null])).toEqual([
      ['active', true],
      ['ending', true],
    ])
    const former = listed.find(({ state }) => state === 'ending')?.id ?? ''
    await t.app.oidc.clientSecrets.revoke(principal, client.clientId, former)
    expect(await askToken(t, await sign(client.clientId, client.secret)).then(refusal)).toEqual(invalid)
  })

  test('a client whose secret is stored only as a hash cannot change to client_secret_jwt', async () => {
    const client = await register(t, { type: 'machine', redirectUris: [] })
    await expect(update(client.clientId, { authMethod: 'client_secret_jwt' })).rejects.toThrow('only the hash')
  })
})

describe('keys at an address (jwks_uri)', () => {
  const ofAddress = (more = {}) =>
    register(t, { type: 'machine', redirectUris: [], authMethod: 'private_key_jwt', jwksUri, ...more })

  test('keys at a jwks_uri are fetched once, and fetched again for an unknown key id within a limit', async () => {
    t.clock.advance({ days: 2 })
    const next = await newKey('next')
    published = { keys: [key.jwk] }
    const { clientId } = await ofAddress()
    const before = asked
    for (let i = 0; i < 3; i += 1) expect((await askToken(t, await assert(t, clientId, key))).status).toBe(200)
    expect(asked - before).toBe(1)
    // The client has rotated its key.
    published = { keys: [next.jwk] }
    t.clock.advance({ seconds: 31 })
    expect((await askToken(t, await assert(t, clientId, next))).status).toBe(200)
    expect(asked - before).toBe(2)
    expect(await askToken(t, await assert(t, clientId, key)).then(refusal)).toEqual(invalid)
    const unknown = await newKey('unknown')
    for (let i = 0; i < 5; i += 1) expect(await askToken(t, await assert(t, clientId, unknown)).then(refusal)).toEqual(invalid)
    expect(asked - before).toBe(2)
  })

  test('keys removed at a jwks_uri become invalid at the next due fetch, and the last known keys stay valid for a day while fetching fails', async () => {
    t.clock.advance({ days: 2 })
    published = { keys: [key.jwk] }
    const { clientId } = await ofAddress()
    expect((await askToken(t, await assert(t, clientId, key))).status).toBe(200)
    published = 'no keys'
    t.clock.advance({ hours: 2 })
    expect((await askToken(t, await assert(t, clientId, key))).status).toBe(200)
    t.clock.advance({ hours: 23 })
    const { status, json } = await askToken(t, await assert(t, clientId, key))
    expect([status, json['error_description']]).toEqual([401, 'the keys at jwks_uri cannot be read'])
    published = { keys: [] }
    t.clock.advance({ minutes: 1 })
    expect(await askToken(t, await assert(t, clientId, key)).then(refusal)).toEqual(invalid)
  })

  test.each([
    ['an internal address', 'https://10.0.0.1/jwks'],
    ['the address of cloud metadata', 'https://169.254.169.254/jwks'],
    ['loopback by name', 'https://localhost:1/jwks'],
    ['the loopback address of IPv6', 'https://[::1]:1/jwks'],
    ['the loopback address of IPv4 written in IPv6', 'https://[::ffff:7f00:2]:1/jwks'],
    ['the loopback address as one number', 'https://2130706434:1/jwks'],
    ['an invalid address', 'https://0.0.0.0:1/jwks'],
    ['the neighbours', 'https://192.168.0.1/jwks'],
    ['a local address of IPv6', 'https://[fd00::1]/jwks'],
  ])('keys at a jwks_uri are not fetched from %s', async (_, address) => {
    const { clientId } = await ofAddress({ jwksUri: address })
    expect(await askToken(t, await assert(t, clientId, key)).then(refusal)).toEqual(invalid)
  })

  test('keys at a jwks_uri are refused if the answer is too long or is not a key set', async () => {
    for (const body of [{ keys: Array.from({ length: 51 }, () => key.jwk) }, `{"keys":[${' '.repeat(300_000)}]}`, '[]', 'null']) {
      t.clock.advance({ days: 2 })
      published = body
      const { clientId } = await ofAddress()
      expect(await askToken(t, await assert(t, clientId, key)).then(refusal)).toEqual(invalid)
    }
  })

  test('a public key meant for encryption or for another algorithm verifies no client assertion', async () => {
    const rsa = await newKey('r', 'RS256', { modulusLength: 2048 })
    for (const keys of [
      [{ ...key.jwk, use: 'enc' }],
      [{ ...rsa.jwk, kid: 'k1' }],
      [{ ...key.jwk, alg: 'RS256' }],
      [{ kty: 'x' }, 1],
    ]) {
      t.clock.advance({ days: 2 })
      published = { keys: keys as object[] }
      const { clientId } = await ofAddress()
      expect(await askToken(t, await assert(t, clientId, key)).then(refusal)).toEqual(invalid)
    }
  })
})

test('a public client that sends HTTP Basic with an empty secret is treated like a client that sends only its id', async () => {
  const spa = await register(t, { type: 'spa' })
  const ann = await t.signedIn('public@example.com')
  const code = await codeFor(ann, spa)
  expect((await redeem(t, { ...spa, secret: '' }, code)).status).toBe(200)
})
