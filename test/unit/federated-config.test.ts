import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { knownIds, trustsEmail } from '../../src/authentication/methods/federated/rules/known.ts'
import { configSchema } from '../../src/composition.ts'
import { ConfigError, loadConfig } from '../../src/core/config.ts'
import { listKeys } from '../../src/core/config-keys.ts'
import { temporaryDirectory } from '../support/directory.ts'

const directory = temporaryDirectory()

const load = (env: Record<string, string>, flags: Record<string, unknown> = {}) => loadConfig(configSchema, { env, flags })
const problemsOf = (env: Record<string, string>, flags: Record<string, unknown> = {}): readonly string[] => {
  try {
    load(env, flags)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

test('a built-in provider is enabled by two variables, and the client secret may be in a file', () => {
  const file = join(directory, 'secret')
  writeFileSync(file, 'from a file\n')
  const { social } = load({
    GATEHOUSE_GITHUB_CLIENT_ID: 'id-1',
    GATEHOUSE_GITHUB_CLIENT_SECRET: 'secret-1',
    GATEHOUSE_GOOGLE_CLIENT_ID: 'id-2',
    GATEHOUSE_GOOGLE_CLIENT_SECRET_FILE: file,
    GATEHOUSE_SOCIAL_GITHUB_TOKEN_URL: 'https://github.example.com/login/oauth/access_token',
    GATEHOUSE_SOCIAL_TRUSTED_PROVIDERS: 'google,github',
  })
  expect(social.trustedProviders).toEqual(['google', 'github'])
  expect(social.providers['github']).toMatchObject({
    clientId: 'id-1',
    clientSecret: 'secret-1',
    tokenUrl: 'https://github.example.com/login/oauth/access_token',
  })
  expect(social.providers['google']).toMatchObject({ clientId: 'id-2', clientSecret: 'from a file' })
})

test('a provider with another id than the built-in providers is configured in the file', () => {
  const { social } = load({}, { social: { 'head-office': { clientId: 'x', issuer: 'https://id.example.com' } } })
  expect(social.providers['head-office']).toMatchObject({
    clientId: 'x',
    issuer: 'https://id.example.com',
    claims: { id: 'sub' },
  })
})

test('variables of a provider that is not built in are refused without its endpoints, and the error shows no secret', () => {
  const env = { GATEHOUSE_NOBODY_CLIENT_ID: 'x', GATEHOUSE_NOBODY_CLIENT_SECRET: 'geheim' }
  expect(problemsOf(env)).toEqual([expect.stringMatching(/^social\.nobody: another provider needs issuer/)])
  expect(problemsOf(env).join()).not.toContain('geheim')
})

test.each([
  ['a built-in provider without its secret', { github: { clientId: 'x' } }, /social\.github: clientSecret is missing/],
  ['Apple without a key', { apple: { clientId: 'x', teamId: 'y' } }, /social\.apple: apple needs clientSecret, or teamId/],
  ['another provider without addresses', { mine: { clientId: 'x' } }, /social\.mine: another provider needs issuer/],
  ['an id that is not a path segment', { 'My Provider': { clientId: 'x', issuer: 'https://x.example' } }, /an id is up to 32/],
  ['the id of the password account', { credential: { clientId: 'x', issuer: 'https://x.example' } }, /an id is up to 32/],
  [
    'an unknown key of a provider',
    { github: { clientId: 'x', clientSecret: 'y', colour: 'red' } },
    /social\.github\.colour: unknown key/,
  ],
  ['a misspelled switch', { linkingEnbled: true }, /social\.linkingEnbled/],
  ['a malformed endpoint', { github: { clientId: 'x', clientSecret: 'y', tokenUrl: 'ftp://x' } }, /social\.github\.tokenUrl/],
])('a configuration of providers with %s is refused at start', (_, social, problem) => {
  expect(problemsOf({}, { social }).join('\n')).toMatch(problem)
})

test('the error about an invalid client secret does not show the secret', () => {
  const problems = problemsOf({}, { social: { github: { clientId: 'x', clientSecret: ['very secret'] } } })
  expect(problems.join('\n')).toMatch(/social\.github\.clientSecret/)
  expect(problems.join('\n')).not.toContain('very secret')
})

test('the configuration keys of providers are documented with <NAME> in the variable, each with a description', () => {
  const keys = listKeys(configSchema).filter(({ path }) => path.includes('<NAME>'))
  expect(keys.find(({ path }) => path.at(-1) === 'clientId')?.variable).toBe('GATEHOUSE_<NAME>_CLIENT_ID')
  expect(keys.find(({ path }) => path.at(-1) === 'tenantId')?.variable).toBe('GATEHOUSE_SOCIAL_<NAME>_TENANT_ID')
  for (const { description } of keys) expect(description).not.toBe('')
})

test("a provider's email addresses are trusted if it verifies them at its own endpoints or the configuration says so", () => {
  expect(knownIds.filter((id) => trustsEmail(id, {}))).toEqual([
    'apple',
    'discord',
    'dropbox',
    'github',
    'gitlab',
    'google',
    'huggingface',
    'linkedin',
    'twitch',
    'twitter',
  ])
  expect(trustsEmail('gitlab', { tokenUrl: 'https://git.example.com/oauth/token' })).toBe(false)
  expect(trustsEmail('gitlab', { tokenUrl: 'https://git.example.com/oauth/token', trustsEmail: true })).toBe(true)
  expect(trustsEmail('github', { trustsEmail: false })).toBe(false)
  expect(trustsEmail('head-office', {})).toBe(false)
})
