import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { explainedClaims, explainedWays } from '../../../admin-ui/console/applications/explained-claims.ts'
import type { Amr } from '../../../src/core/second-factors.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Json } from '../../support/client.ts'
import { selling, tell } from '../billing/purchases.ts'
import { type Application, register, userinfo } from '../oidc/flow.ts'
import { introspect, type Owner, ownerOf, removeMember, tokensFor } from '../oidc/tenants.ts'

const scope = 'openid profile email organizations billing offline_access'

let t: TestApp
let shop: Application
let ann: Owner
let ben: Owner

beforeAll(async () => {
  t = await testApp(
    selling({
      freeSeats: 'unlimited',
      entitlements: [
        { name: 'pro', product: 'prod_pro', plan: 'Pro' },
        { name: 'seats', product: 'prod_team', quantity: 'seats' },
      ],
    }),
  )
  shop = await register(t)
  ann = await ownerOf(t, 'Acme')
  ben = await ownerOf(t, 'Bolt')
  await buy(ann, 'prod_pro', 'sub_ann')
  for (const owner of [ann, ben]) {
    const externalId = owner.organizations[0]?.id ?? ''
    const [customerId, subscriptionId] = [`cus_${externalId}`, `sub_${externalId}`]
    await tell(t, 'subscription.active', { externalId, customerId, subscriptionId, productId: 'prod_team', seats: 5 })
  }
})
afterAll(() => t.stop())

const buy = ({ userId, email }: Owner, productId: string, subscriptionId: string) =>
  tell(t, 'subscription.active', { externalId: userId, customerId: `cus_${userId}`, email, productId, subscriptionId })

/** The claims of the owner for an organization in each protocol, without the claims of the token itself. */
const shownTo = async (owner: Owner, organizationId: string | undefined, application = shop) => {
  const tokens = await tokensFor(t, owner, application, { scope, organization: organizationId })
  const about = (claims: Json): Json =>
    Object.fromEntries(
      Object.entries(claims).filter(
        ([name]) =>
          ![
            'iss',
            'aud',
            'exp',
            'iat',
            'nonce',
            'auth_time',
            'acr',
            'amr',
            'at_hash',
            'active',
            'client_id',
            'scope',
            'token_type',
          ].includes(name),
      ),
    )
  return {
    idToken: about(decodeJwt(String(tokens['id_token']))),
    userinfo: about((await userinfo(t, tokens['access_token'])).json),
    accessToken: about(await introspect(t, application, tokens['access_token'])),
    refreshToken: about(await introspect(t, application, tokens['refresh_token'])),
  }
}

const explained = async ({ userId }: Owner, organizationId: string | null) => {
  const { db } = t.app.core
  return t.app.claims.read(db, { user: await t.app.users.require(db, userId), organizationId }, scope.split(' '))
}
const valuesOf = (claims: Awaited<ReturnType<typeof explained>>, of: (feature: string) => boolean = () => true): Json =>
  Object.fromEntries(claims.filter(({ feature }) => of(feature)).map(({ name, value }) => [name, value]))
/** The claims where those of the profile are only at userinfo. */
const withoutProfile = ({ userId }: Owner, claims: Awaited<ReturnType<typeof explained>>): Json => ({
  sub: userId,
  ...valuesOf(claims, (feature) => feature !== 'users'),
})

describe('the claims of a user, their organization and their purchases', () => {
  test('the console has a text for every claim and every authentication method', () => {
    expect([...explainedClaims].toSorted()).toEqual([...t.app.claims.byScope.values()].flat().toSorted())
    const ways: Readonly<Record<Amr, true>> = { pwd: true, otp: true, hwk: true, swk: true, pop: true, user: true, mfa: true }
    expect([...explainedWays].toSorted()).toEqual(Object.keys(ways).toSorted())
  })

  test('an explanation has the same claims as userinfo and tokens, with profile claims in the ID token only for an application registered for them', async () => {
    const id = ann.organizations[0]?.id
    const claims = await explained(ann, id ?? null)
    const shown = await shownTo(ann, id)
    expect(new Set(claims.map(({ feature }) => feature))).toEqual(new Set(['users', 'organizations', 'billing']))
    expect(shown.userinfo).toEqual(valuesOf(claims))
    const others = withoutProfile(ann, claims)
    expect(shown.idToken).toEqual(others)
    expect(shown.accessToken).toEqual(others)
    expect(shown.refreshToken).toEqual(others)
    const inIdToken = await register(t, { claimsIn: 'id-token' })
    expect(await shownTo(ann, id, inIdToken)).toEqual({ ...shown, idToken: valuesOf(claims) })
  })

  test('an explanation names the rule and the row that each claim comes from', async () => {
    const [organization] = ann.organizations
    const claims = await explained(ann, organization?.id ?? null)
    const originsOf = (name: string) => claims.find((claim) => claim.name === name)?.origins
    expect(originsOf('email')).toEqual([{ rule: 'user.email', row: `user ${ann.userId}` }])
    expect(originsOf('org_slug')).toEqual([{ rule: 'organization.slug', row: `organization ${organization?.id}` }])
    const memberId = await t.app.core.db.knex('member').where({ user_id: ann.userId }).first('id')
    expect(originsOf('org_roles')).toEqual([{ rule: 'member.role', row: `member ${memberId?.id}` }])
    expect(originsOf('org_teams')).toEqual(organization?.teams.map((id) => ({ rule: 'team membership', row: `team ${id}` })))
    const pro = { rule: 'billing.entitlements.0', row: 'subscription sub_ann' }
    const seats = { rule: 'billing.entitlements.1', row: `subscription sub_${organization?.id}` }
    expect(originsOf('entitlements')).toEqual([pro, seats])
    expect(originsOf('entitlement_values')).toEqual([seats])
    expect(originsOf('plan')).toEqual([pro])
    expect(originsOf('subscription_status')).toEqual([{ rule: 'subscription.status', row: 'subscription sub_ann' }])
  })

  test('a user without an organization has no claims about an organization', async () => {
    const read = await explained(ann, null)
    const claims = valuesOf(read)
    expect(claims).toMatchObject({ sub: ann.userId, entitlements: ['pro'], plan: 'Pro' })
    expect(Object.keys(claims).filter((name) => name.startsWith('org_'))).toEqual([])
    const { idToken, userinfo: said } = await shownTo(ann, undefined)
    expect([idToken, said]).toEqual([withoutProfile(ann, read), claims])
  })

  test('a user has no claims about an organization without membership, even if an application requests the organization', async () => {
    const foreign = ann.organizations[0]?.id ?? ''
    const claims = await explained(ben, foreign)
    expect(valuesOf(claims)).toMatchObject({ sub: ben.userId, entitlements: [], entitlement_values: {} })
    expect(JSON.stringify(claims)).not.toContain(foreign)
    expect(JSON.stringify(claims)).not.toContain(ann.userId)
    const own = await shownTo(ben, ben.organizations[0]?.id)
    for (const said of Object.values(own)) {
      expect(said).toMatchObject({ sub: ben.userId, org_id: ben.organizations[0]?.id, entitlements: ['seats'] })
      for (const secret of [foreign, ann.userId, ann.email]) expect(JSON.stringify(said)).not.toContain(secret)
    }
  })

  test('when a membership ends, the claims about the organization and its purchases disappear in every protocol', async () => {
    const cid = await ownerOf(t, 'Core')
    const id = cid.organizations[0]?.id
    const tokens = await tokensFor(t, cid, shop, { scope, organization: id })
    await removeMember(t, cid, id)
    const left = [
      (await userinfo(t, tokens['access_token'])).json,
      await introspect(t, shop, tokens['access_token']),
      valuesOf(await explained(cid, id ?? null)),
    ]
    for (const claims of left) {
      expect(claims).toMatchObject({ sub: cid.userId, entitlements: [] })
      expect(claims).not.toHaveProperty('org_id')
    }
  })
})
