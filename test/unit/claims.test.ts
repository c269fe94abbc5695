import { expect, test } from 'vitest'
import type { ClaimsSubject, RegisteredClaimSource } from '../../src/core/claims.ts'
import { createClaims } from '../../src/identity/claims/service.ts'
import { createUserClaims } from '../../src/identity/users/claims.ts'

const db = {} as Parameters<RegisteredClaimSource['claimsOf']>[0]
const userClaims = createUserClaims({ isOn: true }).map((source) => ({ ...source, feature: 'users' }))
const user = {
  id: 'u',
  name: 'Ann Mary Example',
  email: 'ann@example.com',
  emailVerified: true,
  image: null,
  username: null,
  updatedAt: new Date(5_000),
}
const subject: ClaimsSubject = { user, organizationId: 'o' }

const sourceOf = (scope: string, claims: readonly string[], calls: string[] = []): RegisteredClaimSource => ({
  feature: `feature of ${scope}`,
  scope,
  claims,
  claimsOf: async (_db, { organizationId }) => {
    calls.push(scope)
    const origins = [{ rule: 'rule', row: `organization ${organizationId}` }]
    return { plan: { value: 'Pro', origins }, org_id: { value: organizationId, origins } }
  },
})

test('a claim source is called only for its own scope, and returns only the claims it declares', async () => {
  const calls: string[] = []
  const claims = createClaims([sourceOf('billing', ['plan'], calls), sourceOf('organizations', ['org_id'], calls)])
  expect(await claims.values(db, subject, ['openid', 'billing'])).toEqual({ plan: 'Pro' })
  expect(calls).toEqual(['billing'])
  expect(await claims.values(db, subject, ['billing', 'organizations'])).toEqual({ plan: 'Pro', org_id: 'o' })
  expect(await claims.values(db, subject, ['billings'])).toEqual({})
  expect(calls).toHaveLength(3)
})

test('each claim names the feature, scope, rule and row that it comes from', async () => {
  const claims = createClaims([sourceOf('billing', ['plan'])])
  expect(await claims.read(db, subject, ['billing'])).toEqual([
    {
      name: 'plan',
      value: 'Pro',
      feature: 'feature of billing',
      scope: 'billing',
      origins: [{ rule: 'rule', row: 'organization o' }],
    },
  ])
})

test('two claim sources cannot have the same scope or the same claim', () => {
  expect(() => createClaims([sourceOf('billing', ['a']), sourceOf('billing', ['b'])])).toThrow('scope billing')
  expect(() => createClaims([...userClaims, sourceOf('billing', ['sub'])])).toThrow('claim sub')
})

test('scopes are listed in the order in which their features are registered', () => {
  expect([...createClaims([...userClaims, sourceOf('billing', [])]).byScope.keys()]).toEqual([
    'openid',
    'profile',
    'email',
    'billing',
  ])
})

test('a name is split into the first word and the rest, and a user without a picture has no picture claim', async () => {
  const claims = createClaims(userClaims)
  expect(await claims.values(db, subject, ['openid', 'profile'])).toEqual({
    sub: 'u',
    name: 'Ann Mary Example',
    given_name: 'Ann',
    family_name: 'Mary Example',
    updated_at: 5,
  })
})

test.each([true, false])(
  'a user without a user name has no preferred username and no nickname, with an email address that is verified (%s)',
  async (emailVerified) => {
    const named = { user: { ...user, emailVerified }, organizationId: null }
    const claims = await createClaims(userClaims).read(db, named, ['profile', 'email'])
    for (const name of ['preferred_username', 'nickname']) expect(claims.find((claim) => claim.name === name)).toBeUndefined()
  },
)

test('preferred username and nickname contain the user name, and are absent while user names are off', async () => {
  for (const [isOn, value] of [
    [true, 'ann'],
    [false, undefined],
  ] as const) {
    const sources = createUserClaims({ isOn }).map((source) => ({ ...source, feature: 'users' }))
    const named = { user: { ...user, username: 'ann' }, organizationId: null }
    const claims = await createClaims(sources).read(db, named, ['profile'])
    for (const name of ['preferred_username', 'nickname']) expect(claims.find((claim) => claim.name === name)?.value).toBe(value)
  }
})
