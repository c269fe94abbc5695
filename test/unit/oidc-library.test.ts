import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { interactionPolicy, Provider } from 'oidc-provider'
import { checkDpopReplay, validateDpop } from 'oidc-provider/lib/helpers/grants.js'
import { describe, expect, test } from 'vitest'
import { deviceProblems } from '../../src/oidc/device/library.ts'
import {
  type CookieKeys,
  codeMisuses,
  createCookieKeys,
  errorDescriptions,
  isUnusedCookie,
  libraryVersion,
  policyChecks,
  unauthenticatedDescriptions,
} from '../../src/oidc/engine/library.ts'

const folder = join(import.meta.dirname, '../../node_modules/oidc-provider')
const { version } = createRequire(import.meta.url)(join(folder, 'package.json')) as { readonly version: string }
const sources = new Map(globSync('lib/**/*.js', { cwd: folder }).map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
const library = [...sources.values()].join('\n')
const provider = new Provider('https://id.example.com')

/** Fails with a message for the person who upgrades the library. */
const expectPart = (isThere: boolean, part: string) =>
  expect(
    isThere,
    `oidc-provider ${version} has no ${part}; src/oidc/engine/library.ts relies on it and was written for ${libraryVersion}`,
  ).toBe(true)

/** True when the library has an error with this text, either complete or composed of a label and the rest. */
const isErrorText = (text: string) =>
  library.includes(text) ||
  ['authorization code', 'refresh token', 'device code'].some(
    (label) =>
      text.startsWith(`${label} `) &&
      library.includes(`\${label}${text.slice(label.length)}\``) &&
      library.includes(`'${label}'`),
  )

describe('the undocumented parts of oidc-provider that gatehouse relies on', () => {
  test('Provider.ctx is the context of the current request, and undefined outside of a request', () => {
    expectPart('ctx' in Provider && Provider.ctx === undefined, 'static Provider.ctx')
  })

  test('the OIDC session comes from Session.get, is stored by Session.prototype.save and has the fields that gatehouse sets', () => {
    expectPart(library.includes('provider.Session.get(ctx)'), 'call of Session.get for each request')
    expectPart(typeof provider.Session.get === 'function', 'Session.get')
    expectPart(typeof provider.Session.prototype.save === 'function', 'Session.prototype.save')
    const session = sources.get('lib/models/session.js') ?? ''
    expectPart(typeof provider.Session.prototype.loginAccount === 'function', 'Session.prototype.loginAccount')
    expectPart(
      library.includes('session.loginAccount({'),
      'use of the answer of an interaction by Session.prototype.loginAccount',
    )
    expectPart(library.includes('ctx.oidc.session.persist()'), 'call of Session.prototype.persist')
    for (const field of ['jti', 'uid', 'accountId', 'loginTs', 'acr', 'amr', 'touched', 'state'])
      expectPart(session.includes(field), `field ${field} of a session`)
  })

  test('Session.prototype.sidFor gives the id by which a client knows a session, and ID tokens of clients with a logout address contain the id', () => {
    expectPart('sidFor' in provider.Session.prototype, 'Session.prototype.sidFor')
    expectPart(library.includes('code.sid = ctx.oidc.session.sidFor(ctx.oidc.client.clientId)'), 'sid of a code by sidFor')
    expectPart(library.includes("typ: 'logout+jwt'"), 'type of logout tokens')
    expectPart((sources.get('lib/models/client.js') ?? '').includes('logoutToken.mask = { sub: null }'), 'mask of a logout token')
  })

  test('ReplayDetection.unique makes an assertion count once, and asymmetricKeyStore has the keys that verify the assertion', () => {
    const check = sources.get('lib/shared/jwt_client_auth.js') ?? ''
    expectPart(check.includes('ReplayDetection.unique('), 'call of ReplayDetection.unique')
    const authentication = sources.get('lib/shared/client_auth.js') ?? ''
    expectPart(authentication.includes('jwtClientAuth(ctx, ctx.oidc.client.asymmetricKeyStore'), 'use of asymmetricKeyStore')
    const verify = sources.get('lib/helpers/jwt.js') ?? ''
    expectPart(verify.includes('keystore.fresh()') && verify.includes('keystore.refresh()'), 'refresh of keys that are not fresh')
  })

  test("validateDpop and checkDpopReplay check the DPoP proofs of built-in grants and of gatehouse's own grants", () => {
    expectPart(validateDpop.length === 3 && checkDpopReplay.length === 4, 'validateDpop and checkDpopReplay')
    const grant = sources.get('lib/actions/grants/client_credentials.js') ?? ''
    expectPart(grant.includes('await validateDpop(ctx)'), 'use of validateDpop by a grant')
  })

  test('Client.prototype.redirectUriAllowed decides about a redirect address at the authorization endpoint', () => {
    expectPart(typeof provider.Client.prototype.redirectUriAllowed === 'function', 'Client.prototype.redirectUriAllowed')
    expectPart(
      library.includes('ctx.oidc.client.redirectUriAllowed(ctx.oidc.params.redirect_uri)'),
      'check of a redirect address by redirectUriAllowed',
    )
  })

  test('scopes are checked after responseTypeAllowed and grantTypeAllowed, and the endpoints call both', () => {
    for (const name of ['responseTypeAllowed', 'grantTypeAllowed'] as const)
      expectPart(typeof provider.Client.prototype[name] === 'function', `Client.prototype.${name}`)
    const order = (sources.get('lib/actions/authorization/index.js') ?? '').replaceAll(/\s+/g, ' ')
    expectPart(/use\(checkResponseType,.*use\(checkScope,/.test(order), 'check of the response type before that of scopes')
    expectPart(library.includes('ctx.oidc.client.responseTypeAllowed(params.response_type)'), 'call of responseTypeAllowed')
    expectPart(
      (sources.get('lib/actions/token.js') ?? '').includes('ctx.oidc.client.grantTypeAllowed(ctx.oidc.params.grant_type)'),
      'call of grantTypeAllowed at the token endpoint',
    )
  })

  test('clients come from Client.find, and compareClientSecret compares their secrets', () => {
    expectPart(typeof provider.Client.find === 'function', 'Client.find')
    expectPart(/provider\.Client\.find\(clientId\)/.test(sources.get('lib/shared/client_auth.js') ?? ''), 'call of Client.find')
    expectPart(typeof provider.Client.prototype.compareClientSecret === 'function', 'Client.prototype.compareClientSecret')
  })

  test('ID tokens of HS256 are signed with a key that symmetricKeyStore selects, and verified with any key in the store', () => {
    const issuing = sources.get('lib/models/id_token.js') ?? ''
    expectPart(
      issuing.includes("client.symmetricKeyStore.selectForSign({ alg, use: 'sig' })"),
      'use of symmetricKeyStore.selectForSign',
    )
    expectPart(issuing.includes('keyOrStore = client.symmetricKeyStore'), 'check of ID tokens by symmetricKeyStore')
    const store = sources.get('lib/helpers/keystore.js') ?? ''
    expectPart(/getKeyObject\(input[^}]*\}\s*if \(input\.kty === 'oct'/.test(store), 'use of a symmetric key as it is')
  })

  test('cookies can be signed by any object with the methods of keygrip', () => {
    const keys = createCookieKeys({ sign: () => Buffer.from('signed').toString('base64'), isSigned: () => true } as never, 1)
    const signing = new Provider('https://id.example.com', { cookies: { keys: keys as never } }).keys as unknown as CookieKeys
    const isUsed = typeof signing.sign === 'function' && signing.sign('x') === Buffer.from('signed').toString('base64url')
    expectPart(isUsed && signing.verify('x', 'y') && signing.index('x', 'y') === 0, 'use of a cookies.keys that is no list')
  })

  test('the cookies of session and interaction have the names that gatehouse deletes', () => {
    for (const name of ['_session', '_interaction', '_session.sig', '_interaction.sig'])
      expect(isUnusedCookie(`${name}=1`)).toBe(true)
    for (const name of ['_session', '_interaction']) expectPart(library.includes(`'${name}'`), `cookie ${name}`)
  })

  test('the library reads a body from the iterator of a readable request', () => {
    const reader = sources.get('lib/shared/selective_body.js') ?? ''
    expectPart(reader.includes('ctx.req.readable'), 'look at req.readable')
    expectPart(reader.includes('req.iterator('), 'read of req.iterator')
  })

  test('the device page accepts a form with xsrf, user_code and confirm, and its errors about the user code have the names that gatehouse uses', () => {
    expectPart(library.includes("new Set(['xsrf', 'user_code', 'confirm', 'abort'])"), 'form of a device')
    expectPart(library.includes('ctx.oidc.session.state.secret, ctx.oidc.params.xsrf'), 'look at the state of the session')
    const errors = sources.get('lib/helpers/re_render_errors.js') ?? ''
    for (const name of Object.keys(deviceProblems)) expectPart(errors.includes(`class ${name} `), name)
  })

  test('the interaction policy has the checks that gatehouse replaces', () => {
    const policy = interactionPolicy.base()
    const hasCheck = (prompt: string, check: string) => policy.get(prompt)?.checks.get(check) !== undefined
    expectPart(hasCheck('login', policyChecks.idTokenHint), `check ${policyChecks.idTokenHint}`)
    expectPart(hasCheck('consent', policyChecks.nativeClient), `check ${policyChecks.nativeClient}`)
    for (const name of policyChecks.essentialAcr) expectPart(hasCheck('login', name), `check ${name}`)
    const prompt = new interactionPolicy.Prompt({ name: 'other', requestable: true })
    expectPart(prompt.checks.get(policyChecks.requested('other')) !== undefined, 'check of a requested prompt')
  })

  test('the errors of oidc-provider have the texts that gatehouse maps to descriptions, or by which it decides that a code is used up', () => {
    for (const text of [...Object.keys(errorDescriptions), ...Object.keys(unauthenticatedDescriptions), ...codeMisuses])
      expectPart(isErrorText(text), `error "${text}"`)
    for (const rest of ['must be a string', 'contains invalid characters'])
      expectPart(library.includes(`\${param} ${rest}`), `error "code_verifier ${rest}"`)
  })
})
