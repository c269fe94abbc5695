/** The snippets that the console shows for an application, run as they are shown. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseEnv, promisify } from 'node:util'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { frameworks, type SnippetId } from '../../admin-ui/console/applications/new/frameworks.ts'
import { envOf, snippetOf, type Values } from '../../admin-ui/console/applications/new/snippets.ts'
import { goOn, register } from '../http/oidc/flow.ts'
import { type TestApp, testApp } from '../support/app.ts'

let t: TestApp
// A directory inside the repository, so that the snippets find the packages that they import.
const folder = mkdtempSync(join(import.meta.dirname, '.snippets-'))
beforeAll(async () => {
  t = await testApp()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  vi.unstubAllEnvs()
  await t.stop()
})

const scopes = ['openid', 'profile', 'email']

/** The snippet as a module, for a newly registered application. */
const load = async (id: SnippetId, redirectUri: string, type: 'web' | 'spa' = 'web') => {
  const { clientId, secret = null } = await register(t, { type, redirectUris: [redirectUri] })
  const values: Values = { issuer: t.url, clientId, secret, redirectUri, scopes }
  for (const [name, value] of Object.entries(parseEnv(envOf(values)))) vi.stubEnv(name, value)
  const file = join(folder, `${id}.mjs`)
  writeFileSync(file, snippetOf(id, values))
  return import(/* @vite-ignore */ pathToFileURL(file).href)
}

test.each(['node', 'browser'] as const)('the snippet for openid-client (%s) signs a person in', async (id) => {
  const { begin, finish } = await load(id, 'https://rp.example/callback', id === 'node' ? 'web' : 'spa')
  const person = await t.signedIn(`${id}@example.com`)
  const { address, ...kept } = await begin()
  const back = await goOn(person, await person.request(address.pathname + address.search))
  expect(await finish(new URL(back.location ?? ''), kept)).toMatchObject({ email: `${id}@example.com` })
})

test('the snippet for Better Auth signs a person in, with the callback and the call in the snippet', async () => {
  vi.stubEnv('BETTER_AUTH_URL', 'http://localhost:3999')
  vi.stubEnv('BETTER_AUTH_SECRET', 'a secret of the application that is long enough')
  const { callback } = frameworks.find(({ id }) => id === 'betterAuth') ?? { callback: '' }
  const { auth } = await load('betterAuth', `http://localhost:3999${new URL(callback).pathname}`)
  const person = await t.signedIn('better@example.com')
  await t.verify('better@example.com')
  const begun: Response = await auth.handler(
    new Request('http://localhost:3999/api/auth/sign-in/social', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost:3999' },
      body: JSON.stringify({ provider: 'gatehouse', callbackURL: '/' }),
    }),
  )
  const { url } = (await begun.json()) as { url: string }
  const { pathname, search } = new URL(url)
  const back = await goOn(person, await person.request(pathname + search))
  const cookie = begun.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  const done: Response = await auth.handler(new Request(back.location ?? '', { headers: { cookie } }))
  expect([done.status, done.headers.get('location')]).toEqual([302, '/'])
  expect(done.headers.getSetCookie().join()).toContain('session_token=')
})

/** The settings for any other library, as a person types them. */
const settingsOf = (text: string) => Object.fromEntries(text.split('\n').map((line) => line.split(/\s{2,}/) as [string, string]))
const allowingHttp = { execute: [oidc.allowInsecureRequests] }

test.each([
  ['web', 'https://rp.example/callback'],
  ['spa', 'https://rp.example/callback'],
  ['native', 'com.example.app:/callback'],
] as const)('the settings shown for a library and an application of the type %s sign a person in', async (type, redirectUri) => {
  const { clientId, secret = null } = await register(t, { type, redirectUris: [redirectUri] })
  const told = settingsOf(snippetOf('generic', { issuer: t.url, clientId, secret, redirectUri, scopes }))
  expect(told['Authentication']).toBe(type === 'web' ? 'client_secret_basic' : undefined)
  expect(told['Grant type']).toBe('authorization_code, with PKCE (S256)')
  const authentication = type === 'web' ? oidc.ClientSecretBasic(told['Client secret']) : oidc.None()
  const discovery = new URL(told['Discovery'] ?? '')
  const config = await oidc.discovery(discovery, told['Client id'] ?? '', undefined, authentication, allowingHttp)
  expect(config.serverMetadata().issuer).toBe(told['Issuer'])
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: told['Redirect'] ?? '',
    scope: told['Scopes'] ?? '',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const email = `generic-${type}@example.com`
  const person = await t.signedIn(email)
  const back = await goOn(person, await person.request(address.pathname + address.search))
  const tokens = await oidc.authorizationCodeGrant(config, new URL(back.location ?? ''), { pkceCodeVerifier })
  const { access_token: token } = tokens
  expect(await oidc.fetchUserInfo(config, token, tokens.claims()?.sub ?? '')).toMatchObject({ email })
})

test('with the library settings shown for a machine, the machine gets a token', async () => {
  const { clientId, secret = null } = await register(t, { type: 'machine', redirectUris: [] })
  const told = settingsOf(snippetOf('generic', { issuer: t.url, clientId, secret, redirectUri: undefined, scopes: [] }))
  const server = { issuer: told['Issuer'] ?? '', token_endpoint: told['Token endpoint'] ?? '' }
  const config = new oidc.Configuration(server, told['Client id'] ?? '', undefined, oidc.ClientSecretBasic(told['Client secret']))
  oidc.allowInsecureRequests(config)
  expect([told['Authentication'], told['Grant type']]).toEqual(['client_secret_basic', 'client_credentials'])
  expect(await oidc.clientCredentialsGrant(config)).toMatchObject({ access_token: expect.any(String) })
})

test('with the shell command shown for a machine, the machine gets a token', async () => {
  const { clientId, secret = null } = await register(t, { type: 'machine', redirectUris: [] })
  const line = snippetOf('shell', { issuer: t.url, clientId, secret, redirectUri: undefined, scopes: [] })
  const { stdout } = await promisify(execFile)('sh', ['-c', line])
  expect(JSON.parse(stdout)).toMatchObject({ access_token: expect.any(String), token_type: 'Bearer' })
})
