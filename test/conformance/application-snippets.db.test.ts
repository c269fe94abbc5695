/** The lines that the console shows for an application, run as they are shown. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { frameworks, type SnippetId } from '../../admin-ui/console/applications/new/frameworks.ts'
import { snippetOf, type Values } from '../../admin-ui/console/applications/new/snippets.ts'
import { goOn, register } from '../http/oidc/flow.ts'
import { type TestApp, testApp } from '../support/app.ts'

let t: TestApp
// Below the repository, so that the lines find the packages that they import.
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

/** The snippet as a module, for an application that has just been registered. */
const load = async (id: SnippetId, redirectUri: string, type: 'web' | 'spa' = 'web') => {
  const { clientId, secret = null } = await register(t, { type, redirectUris: [redirectUri] })
  const values: Values = { issuer: t.url, clientId, secret, redirectUri, scopes }
  vi.stubEnv('OIDC_ISSUER', t.url)
  vi.stubEnv('OIDC_CLIENT_ID', clientId)
  vi.stubEnv('OIDC_CLIENT_SECRET', secret ?? '')
  vi.stubEnv('OIDC_REDIRECT_URI', redirectUri)
  const file = join(folder, `${id}.mjs`)
  writeFileSync(file, snippetOf(id, values))
  return import(/* @vite-ignore */ pathToFileURL(file).href)
}

test.each(['node', 'browser'] as const)('the lines for openid-client (%s) sign a person in', async (id) => {
  const { begin, finish } = await load(id, 'https://rp.example/callback', id === 'node' ? 'web' : 'spa')
  const person = await t.signedIn(`${id}@example.com`)
  const { address, ...kept } = await begin()
  const back = await goOn(person, await person.request(address.pathname + address.search))
  expect(await finish(new URL(back.location ?? ''), kept)).toMatchObject({ email: `${id}@example.com` })
})

test('the lines for Better Auth sign a person in, with the callback and the call that they name', async () => {
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

test('the line for a shell gives a machine a token', async () => {
  const { clientId, secret = null } = await register(t, { type: 'machine', redirectUris: [] })
  const line = snippetOf('shell', { issuer: t.url, clientId, secret, redirectUri: undefined, scopes: [] })
  const { stdout } = await promisify(execFile)('sh', ['-c', line])
  expect(JSON.parse(stdout)).toMatchObject({ access_token: expect.any(String), token_type: 'Bearer' })
})
