/**
 * Refused requests to the token endpoint, by their fault: assertions, proofs and forms. The tests of each grant try all of them, and add
 * requests that only their grant has.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { base64url, SignJWT } from 'jose'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Answer } from '../../support/client.ts'
import { assert, assertionType, newKey, postAsserted, type SigningKey } from './asserting.ts'
import { type Params, register } from './flow.ts'
import { type ClientKey, clientKey, proofFor } from './proofs.ts'

type Registration = NonNullable<Parameters<typeof register>[1]>

/** A client with a valid request. Each refused request differs from it in one thing. */
export interface Target {
  readonly t: TestApp
  readonly path: string
  readonly clientId: string
  /** The key by which the client authenticates. Undefined for a public client. */
  readonly key: SigningKey | undefined
  /** The key of its proofs. Undefined where the grant takes none. */
  readonly proofKey: ClientKey | undefined
  readonly form: Params
  /** Another client of the same server, and its key. */
  readonly other: { readonly clientId: string; readonly key: SigningKey }
  /** An internal address that must never be called. */
  readonly inside: string
}

export type Pairs = readonly (readonly [string, string])[]
interface Changes {
  readonly assertion?: string | undefined
  readonly proof?: string | readonly string[] | undefined
  readonly form?: (pairs: Pairs) => Pairs
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  readonly body?: string
  readonly search?: string
}

export const keyOf = ({ key }: Pick<Target, 'key'>): SigningKey => {
  if (key === undefined) throw new Error('the client has no key')
  return key
}

/** Sends the valid request with these changes. An assertion or proof given as undefined is left out. */
export const attempt = async (target: Target, changes: Changes = {}): Promise<Answer> => {
  const { t, path, clientId, key, proofKey, form } = target
  const assertion =
    'assertion' in changes ? changes.assertion : key === undefined ? undefined : await assert(t, clientId, keyOf(target))
  const proof = 'proof' in changes ? changes.proof : proofKey === undefined ? undefined : await proofFor(t, proofKey, path)
  const asserted: Pairs = [
    ['client_assertion_type', assertionType],
    ['client_assertion', assertion ?? ''],
  ]
  const own: Pairs = assertion === undefined ? [['client_id', clientId]] : asserted
  const pairs = [...Object.entries(form).flatMap(([name, value]): Pairs => (value === undefined ? [] : [[name, value]])), ...own]
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded', ...changes.headers })
  for (const one of [proof ?? []].flat()) headers.append('dpop', one)
  const sent = new URLSearchParams(
    (changes.form ?? ((all) => all))(pairs).map(([name, value]): [string, string] => [name, value]),
  )
  const method = changes.method ?? 'POST'
  const answer = await fetch(new URL(path + (changes.search ?? ''), t.url), {
    ...{ method, headers, redirect: 'manual' },
    ...(method === 'GET' ? {} : { body: changes.body ?? sent.toString() }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') === true
  return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : {}, location: null }
}

/** Status and error in the words of the tables: invalid_client has status 401, all other errors 400. */
export const refusalOf = ({ status, json }: Answer): string => {
  const error = String(json['error'] ?? `status ${status}`)
  return status === (error === 'invalid_client' ? 401 : 400) ? error : `${status} ${error}`
}

/** A server on loopback that records its requests. There must be none. */
const listenInside = async () => {
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(req.url ?? '')
    res.end('{"keys":[]}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { asked, url: `http://127.0.0.1:${port}/jwks`, stop: () => server.close() }
}

/** An app with a client that authenticates by its key, another such client, and an internal server that the app must not call. */
export const hostileApp = async (wanted: Registration, ofClient: Registration = {}) => {
  const inside = await listenInside()
  const t = await testApp({ config: { outbound: { allowHttp: true, allow: ['127.0.0.1'] } } })
  const [key, otherKey] = [await newKey(), await newKey()]
  const { clientId } = await register(t, { ...wanted, ...ofClient, jwks: { keys: [key.jwk] } })
  const other = { ...(await register(t, { ...wanted, name: 'Other', jwks: { keys: [otherKey.jwk] } })), key: otherKey }
  const target = { t, path: '/oauth2/token', clientId, key, proofKey: await clientKey(), other, inside: inside.url }
  const stop = async () => {
    inside.stop()
    await t.stop()
  }
  return { t, inside, target, stop }
}

const now = () => Math.floor(Date.now() / 1000)
const encode = (value: unknown) => base64url.encode(typeof value === 'string' ? value : JSON.stringify(value))
const decode = (part = '') => JSON.parse(new TextDecoder().decode(base64url.decode(part))) as Readonly<Record<string, unknown>>
const split = (token: string) => token.split('.') as [string, string, string]

/** The token with changed header fields and its old signature. */
const withHeader = (token: string, changes: object) => {
  const [header, payload, signature] = split(token)
  return `${encode({ ...decode(header), ...changes })}.${payload}.${signature}`
}
/** The token signed with a shared secret (HS and RS confusion). */
const confused = (token: string, secret: string) => {
  const [header, payload] = split(token)
  return new SignJWT(decode(payload))
    .setProtectedHeader({ ...decode(header), alg: 'HS256' })
    .sign(new TextEncoder().encode(secret.padEnd(1, '\0')))
}

type Make = (target: Target) => string | Promise<string>
/** The fault, how the token is made, and the expected error. */
type Row<T> = readonly [title: string, make: T, error: string]
type Said = NonNullable<Parameters<typeof assert>[3]>
const said =
  (changes: Said | ((target: Target) => Said)): Make =>
  (target) =>
    assert(target.t, target.clientId, keyOf(target), typeof changes === 'function' ? changes(target) : changes)
const good = said({})
const made =
  (change: (token: string, target: Target) => string | Promise<string>): Make =>
  async (target) =>
    change(await good(target), target)
/** Signed by a foreign key that the header names in the given way. */
const foreign =
  (header: (jwk: SigningKey['jwk'], target: Target) => object): Make =>
  async (target) => {
    const own = await newKey('foreign')
    return assert(target.t, target.clientId, own, { header: { kid: undefined, ...header(own.jwk, target) } })
  }

const assertions: readonly (readonly [string, Make, string?])[] = [
  ['of another issuer', said({ claims: { iss: 'other' } })],
  ['of another server', said({ claims: { iss: 'https://other.example' } })],
  ['of this server itself', said(({ t }) => ({ claims: { iss: t.url } }))],
  ['of another client about this one', said(({ other }) => ({ claims: { iss: other.clientId } }))],
  ['about a client that does not exist', said({ claims: { iss: 'nobody', sub: 'nobody' } })],
  ['about another client', said(({ other }) => ({ claims: { iss: other.clientId, sub: other.clientId } }))],
  ['by the key of another client', ({ t, clientId, other }) => assert(t, clientId, other.key)],
  ['without a subject', said({ claims: { sub: undefined } })],
  ['whose subject is a list', said(({ clientId }) => ({ claims: { sub: [clientId] } }))],
  ['without an issuer', said({ claims: { iss: undefined } })],
  ['without an audience', said({ claims: { aud: undefined } })],
  ['for another server', said({ claims: { aud: 'https://other.example' } })],
  ['for an address that begins like this server', said(({ t }) => ({ claims: { aud: `${t.url}.evil.example` } }))],
  ['for this server in another spelling', said(({ t }) => ({ claims: { aud: t.url.replace('localhost', 'LOCALHOST') } }))],
  ['for userinfo', said(({ t }) => ({ claims: { aud: `${t.url}/oauth2/userinfo` } }))],
  ['for this server and another one', said(({ t }) => ({ claims: { aud: [t.url, 'https://other.example'] } }))],
  ['for an empty list', said({ claims: { aud: [] } })],
  ['for a list in a list', said(({ t }) => ({ claims: { aud: [[t.url]] } }))],
  ['for an object', said(({ t }) => ({ claims: { aud: { 0: t.url } } }))],
  ['without an expiry', said({ claims: { exp: undefined } })],
  ['that has expired', said(() => ({ claims: { exp: now() - 60 } }))],
  ['whose expiry is 0', said({ claims: { exp: 0 } })],
  ['whose expiry is null', said({ claims: { exp: null } })],
  ['whose expiry is text', said(() => ({ claims: { exp: String(now() + 60) } }))],
  ['that is valid for two hours', said(() => ({ claims: { exp: now() + 7_200 } }))],
  ['that is valid for ever', said({ claims: { exp: Number.MAX_SAFE_INTEGER } })],
  ['issued in the future', said(() => ({ claims: { iat: now() + 600, exp: now() + 660 } }))],
  ['issued days ago', said(() => ({ claims: { iat: now() - 200_000 } }))],
  ['issued before 1970', said({ claims: { iat: -1 } })],
  ['whose time of issue is text', said({ claims: { iat: 'now' } })],
  ['whose time of issue is null', said({ claims: { iat: null } })],
  ['that is not valid yet', said(() => ({ claims: { nbf: now() + 120 } }))],
  ['whose start is text', said({ claims: { nbf: 'now' } })],
  ['without an id', said({ claims: { jti: undefined } })],
  ['whose id is empty', said({ claims: { jti: '' } })],
  ['whose id is a number', said({ claims: { jti: 7 } })],
  ['whose id is a list', said({ claims: { jti: ['a'] } })],
  ['of the type of a proof', said({ header: { typ: 'dpop+jwt' } })],
  ['of the type of a request object', said({ header: { typ: 'oauth-authz-req+jwt' } })],
  ['of the type of an access token', said({ header: { typ: 'at+jwt' } })],
  ['of the type of a logout token', said({ header: { typ: 'logout+jwt' } })],
  ['by an unknown key', said({ header: { kid: 'unknown' } })],
  ['by a key that is a path', said({ header: { kid: '../../../../dev/null' } })],
  ['by a key named by an SQL statement', said({ header: { kid: "k1' OR '1'='1" } })],
  ['that is unsigned', made((token) => `${encode({ alg: 'none' })}.${split(token)[1]}.`)],
  ['that is unsigned, in capitals', made((token) => `${encode({ alg: 'NONE' })}.${split(token)[1]}.`)],
  ['that is unsigned, with a signature', made((token) => withHeader(token, { alg: 'none' }))],
  ['signed with the public key as a secret', made((token, target) => confused(token, JSON.stringify(keyOf(target).jwk)))],
  ['signed with a coordinate of the key as a secret', made((token, target) => confused(token, String(keyOf(target).jwk['x'])))],
  ['signed with a secret of zeros', made((token) => confused(token, ''.padEnd(32, '\0')))],
  ['that names RS256 for a key of ES256', made((token) => withHeader(token, { alg: 'RS256' }))],
  ['that names EdDSA for a key of ES256', made((token) => withHeader(token, { alg: 'EdDSA' }))],
  ['that names no algorithm', made((token) => withHeader(token, { alg: undefined }))],
  ['with its key in the header', foreign((jwk) => ({ jwk }))],
  ['with its key in the header, under the name of the right key', foreign((jwk) => ({ jwk, kid: 'k1' }))],
  ['that names an internal address for its key (jku)', foreign((_, { inside }) => ({ jku: inside }))],
  ['that names an internal address for its certificate (x5u)', foreign((_, { inside }) => ({ x5u: inside }))],
  ['that names the address of cloud metadata for its key', foreign(() => ({ jku: 'http://169.254.169.254/latest' }))],
  ['with a certificate in the header', foreign(() => ({ x5c: ['MIIB'] }))],
  ['with a critical header that is not understood', made((token) => withHeader(token, { crit: ['urn:x'], 'urn:x': 1 }))],
  ['with an empty list of critical headers', made((token) => withHeader(token, { crit: [] }))],
  ['whose payload is not encoded (b64)', made((token) => withHeader(token, { crit: ['b64'], b64: false }))],
  [
    'with the signature of another assertion',
    made(async (token, target) => [...split(token).slice(0, 2), split(await good(target))[2]].join('.')),
  ],
  ['with a signature of zeros', made((token) => [...split(token).slice(0, 2), base64url.encode(new Uint8Array(64))].join('.'))],
  ['whose signature is too short', made((token) => token.slice(0, -4))],
  ['whose signature is too long', made((token) => `${token}AAAA`)],
  ['whose signature is missing', made((token) => `${split(token).slice(0, 2).join('.')}.`)],
  ['whose claims were changed', made((token) => ((p) => `${p[0]}.${encode({ ...decode(p[1]), x: 1 })}.${p[2]}`)(split(token)))],
  ['that is encrypted', () => 'a.b.c.d.e', 'invalid_request'],
  ['that is not a token', () => 'nonsense', 'invalid_request'],
  ['that is empty', () => ''],
  ['of dots', () => '..', 'invalid_request'],
  ['whose header is not an object', made((token) => `${encode('7')}.${split(token).slice(1).join('.')}`)],
  ['whose claims are a list', made((token) => ((p) => `${p[0]}.${encode('[]')}.${p[2]}`)(split(token))), 'invalid_request'],
  ['whose claims are null', made((token) => ((p) => `${p[0]}.${encode('null')}.${p[2]}`)(split(token))), 'invalid_request'],
  [
    'that was used at another endpoint before',
    async (target) => {
      const token = await good(target)
      await postAsserted(target.t, '/oauth2/introspect', token, { token: 'x' })
      return token
    },
  ],
]

/** Assertions with which the client is not authenticated. */
export const hostileAssertions: readonly Row<Make>[] = assertions.map(([title, make, error = 'invalid_client']) => [
  ...([title, make, error] as const),
])

type MakeProof = (target: Target) => string | readonly string[] | Promise<string | readonly string[]>
const proofKeyOf = ({ proofKey }: Target): ClientKey => {
  if (proofKey === undefined) throw new Error('the grant takes no proof')
  return proofKey
}
type ProofParts = NonNullable<Parameters<typeof proofFor>[3]>
const proven = (parts: ProofParts | ((target: Target) => ProofParts)) => (target: Target) =>
  proofFor(target.t, proofKeyOf(target), target.path, typeof parts === 'function' ? parts(target) : parts)
const remade = (change: (token: string, target: Target) => string | Promise<string>) => async (target: Target) =>
  change(await proven({})(target), target)
/** The key is not a real one. What matters is the effort that the server would spend on it. */
const withHugeKey = (token: string): string => {
  const bytes = new Uint8Array(2_048).fill(0xff)
  const jwk = { kty: 'RSA', n: base64url.encode(bytes), e: 'AQAB' }
  const [header, payload] = split(token)
  return `${encode({ ...decode(header), alg: 'PS256', jwk })}.${payload}.${base64url.encode(bytes.fill(1))}`
}
const htu = (change: (address: string) => unknown) => proven(({ t, path }) => ({ claims: { htu: change(`${t.url}${path}`) } }))

const proofs: readonly (readonly [string, MakeProof, string?])[] = [
  ['without a method', proven({ claims: { htm: undefined } })],
  ['for another method', proven({ claims: { htm: 'GET' } })],
  ['for a method in lower case', proven({ claims: { htm: 'post' } })],
  ['for a list of methods', proven({ claims: { htm: ['POST'] } })],
  ['without an address', htu(() => undefined)],
  ['for another endpoint', htu((address) => address.replace(/[^/]*$/, 'userinfo'))],
  ['for the same path of another server', htu((address) => address.replace(/\/\/[^/]*/, '//evil.example'))],
  ['for another port', htu((address) => address.replace(/:\d+/, ':1'))],
  ['for the path alone', htu((address) => new URL(address).pathname)],
  ['for a longer path', htu((address) => `${address}/`)],
  ['for a path in capitals', htu((address) => address.toUpperCase())],
  ['for an address with a user name in it', htu((address) => address.replace('//', '//evil@'))],
  ['for a list of addresses', htu((address) => [address])],
  ['without an id', proven({ claims: { jti: undefined } })],
  ['whose id is empty', proven({ claims: { jti: '' } })],
  ['whose id is a number', proven({ claims: { jti: 7 } })],
  ['without a time', proven({ claims: { iat: undefined } })],
  ['whose time is text', proven({ claims: { iat: 'now' } })],
  ['whose time is 0', proven({ claims: { iat: 0 } })],
  ['issued ten minutes ago', proven(() => ({ claims: { iat: now() - 600 } })), 'use_dpop_nonce'],
  ['issued two minutes in the future', proven(() => ({ claims: { iat: now() + 120 } }))],
  ['issued an hour in the future', proven(() => ({ claims: { iat: now() + 3_600 } })), 'use_dpop_nonce'],
  ['that has expired', proven(() => ({ claims: { exp: now() - 60 } }))],
  ['that is not valid yet', proven(() => ({ claims: { nbf: now() + 60 } }))],
  ['without a type', proven({ header: { typ: undefined } })],
  ['of the type of another token', proven({ header: { typ: 'JWT' } })],
  ['without a key', proven({ header: { jwk: undefined } })],
  ['whose key is private', proven({ header: { jwk: { kty: 'oct', k: 'c2VjcmV0' } } })],
  ['whose key is an internal address', proven(({ inside }) => ({ header: { jwk: undefined, jku: inside } }))],
  ['with another key in its header', async (target) => proven({ header: { jwk: (await clientKey()).publicKey } })(target)],
  [
    'whose key is not a point of the curve',
    proven((target) => ({ header: { jwk: { ...proofKeyOf(target).publicKey, y: 'AAAA' } } })),
  ],
  ['by a key of 16384 bits', remade(withHugeKey)],
  ['by RS256', async ({ t, path }) => proofFor(t, await clientKey('RS256'), path)],
  ['by ES384', async ({ t, path }) => proofFor(t, await clientKey('ES384'), path)],
  ['with a nonce of another server', proven({ claims: { nonce: 'somebody-elses' } }), 'use_dpop_nonce'],
  ['with a nonce that is a number', proven({ claims: { nonce: 7 } })],
  ['with a critical header that is not understood', remade((token) => withHeader(token, { crit: ['urn:x'], 'urn:x': 1 }))],
  ['that is unsigned', remade((token) => `${encode({ ...decode(split(token)[0]), alg: 'none' })}.${split(token)[1]}.`)],
  [
    'signed with its public key as a secret',
    remade((token, target) => confused(token, JSON.stringify(proofKeyOf(target).publicKey))),
  ],
  [
    'with the signature of another proof',
    remade(async (token, target) => [...split(token).slice(0, 2), split(String(await proven({})(target)))[2]].join('.')),
  ],
  ['that is not a token', () => 'x.y.z'],
  ['that is sent twice', async (target) => [await proven({})(target), await proven({})(target)]],
]

/** Proofs with which no token is issued, not even a Bearer token. */
export const hostileProofs: readonly Row<MakeProof>[] = proofs.map(([title, make, error = 'invalid_dpop_proof']) => [
  ...([title, make, error] as const),
])

const add = (...more: Pairs) => ({ form: (pairs: Pairs) => [...pairs, ...more] })
const without = (name: string) => ({ form: (pairs: Pairs) => pairs.filter(([one]) => one !== name) })
const instead = (name: string, value: string) => ({
  form: (pairs: Pairs) => pairs.map(([one, is]) => [one, one === name ? value : is] as const),
})
const twice = (name: string) => ({ form: (pairs: Pairs) => [...pairs, ...pairs.filter(([one]) => one === name)] })
type MakeForm = (target: Target) => Changes | Promise<Changes>

/** Forms that are refused for every grant. */
export const hostileForms: readonly Row<MakeForm>[] = [
  ['with two assertions', () => twice('client_assertion'), 'invalid_request'],
  ['with two assertion types', () => twice('client_assertion_type'), 'invalid_request'],
  ['without an assertion type', () => without('client_assertion_type'), 'invalid_request'],
  ['with an empty assertion type', () => instead('client_assertion_type', ''), 'invalid_request'],
  [
    'with a SAML assertion type',
    () => instead('client_assertion_type', assertionType.replace('jwt', 'saml2')),
    'invalid_request',
  ],
  ['with the id of another client', ({ other }) => add(['client_id', other.clientId]), 'invalid_request'],
  ['with the id of the client twice', ({ clientId }) => add(['client_id', clientId], ['client_id', clientId]), 'invalid_request'],
  ['with a secret beside the assertion', () => add(['client_secret', 'x']), 'invalid_request'],
  [
    'with Basic beside the assertion',
    ({ clientId }) => ({ headers: { authorization: `Basic ${btoa(`${clientId}:x`)}` } }),
    'invalid_request',
  ],
  ['with Bearer beside the assertion', () => ({ headers: { authorization: 'Bearer x' } }), 'invalid_request'],
  ['with only the id of the client', () => ({ assertion: undefined }), 'invalid_client'],
  ['without any authentication', () => ({ ...without('client_id'), assertion: undefined }), 'invalid_client'],
  ['without a grant', () => without('grant_type'), 'invalid_request'],
  ['with an empty grant', () => instead('grant_type', ''), 'invalid_request'],
  ['with two grants', () => twice('grant_type'), 'invalid_request'],
  ['with two different grants', () => add(['grant_type', 'password']), 'invalid_request'],
  ['with an unknown grant', () => instead('grant_type', 'urn:x'), 'unsupported_grant_type'],
  [
    'with the grant in capitals',
    ({ form }) => instead('grant_type', String(form['grant_type']).toUpperCase()),
    'unsupported_grant_type',
  ],
  [
    'with a list of grants',
    () => ({ form: (all: Pairs) => all.map(([name, value]) => [name.replace(/^grant_type$/, 'grant_type[]'), value] as const) }),
    'invalid_request',
  ],
  [
    'with parameters in its address',
    ({ form }) => ({ search: `?${new URLSearchParams(form as Record<string, string>)}`, body: '' }),
    'invalid_client',
  ],
  ['as plain text', () => ({ headers: { 'content-type': 'text/plain' } }), 'invalid_request'],
  ['as multipart data', () => ({ headers: { 'content-type': 'multipart/form-data; boundary=x' } }), 'invalid_request'],
  ['as a list', () => ({ headers: { 'content-type': 'application/json' }, body: '[]' }), 'invalid_request'],
  [
    'as an object with a list',
    () => ({ headers: { 'content-type': 'application/json' }, body: '{"grant_type":["x"]}' }),
    'invalid_request',
  ],
  ['of two megabytes', () => add(['x', 'x'.repeat(2_000_000)]), 'invalid_request'],
]
