import { stripTypeScriptTypes } from 'node:module'
import { expect, test } from 'vitest'
import { frameworks, snippetFor, snippetsOf } from '../../../admin-ui/console/applications/new/frameworks.ts'
import { envOf, snippetOf } from '../../../admin-ui/console/applications/new/snippets.ts'

const values = {
  issuer: 'https://auth.example.com',
  clientId: 'shop',
  secret: 's3cret',
  redirectUri: 'https://app.example.com/callback',
  scopes: ['openid', 'profile', 'email', 'offline_access'],
}

test('the environment file contains the values of the application, and no line without a value', () => {
  expect(envOf(values).split('\n')).toEqual([
    'OIDC_ISSUER=https://auth.example.com',
    'OIDC_CLIENT_ID=shop',
    'OIDC_CLIENT_SECRET=s3cret',
    'OIDC_REDIRECT_URI=https://app.example.com/callback',
  ])
  expect(envOf({ ...values, secret: null, redirectUri: undefined }).split('\n')).toHaveLength(2)
})

test('the first snippet of every framework suits its type of application', () => {
  for (const framework of frameworks) expect(snippetsOf[framework.type]).toContain(snippetFor(framework))
})

test.each(['node', 'betterAuth', 'browser'] as const)('the snippet %s is valid code and does not contain the secret', (id) => {
  const code = snippetOf(id, values)
  expect(() => stripTypeScriptTypes(code)).not.toThrow()
  expect(code).not.toContain(values.secret)
})

test('snippets for a shell and for other libraries contain the values themselves', () => {
  expect(snippetOf('shell', { ...values, redirectUri: undefined })).toContain('curl -s -u shop:s3cret')
  expect(snippetOf('generic', values)).toContain('https://auth.example.com/.well-known/openid-configuration')
  expect(snippetOf('generic', values)).toContain('Scopes          openid profile email')
})

test('the snippet for openid-client allows http only if the issuer is http', () => {
  expect(snippetOf('node', values)).not.toContain('allowInsecureRequests')
  expect(snippetOf('node', { ...values, issuer: 'http://localhost:3000' })).toContain('allowInsecureRequests')
})
