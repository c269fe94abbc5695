import { decodeJwt } from 'jose'
import type { TestApp } from '../../support/app.ts'
import type { Client as Browser, Json } from '../../support/client.ts'
import { type Application, codeFor, type Params, postForm, redeem, userinfo } from './flow.ts'

interface Owned {
  readonly id: string
  readonly slug: string
  readonly name: string
  /** Ids of the teams. The owner is in all of them. */
  readonly teams: readonly string[]
}

/** A person who owns organizations, none of them active. */
export interface Owner {
  readonly email: string
  readonly browser: Browser
  readonly userId: string
  /** In the order in which they were named. */
  readonly organizations: readonly Owned[]
}

let count = 0

/** A new person with organizations of these names. A number keeps the slugs apart. */
export const ownerOf = async (t: TestApp, ...names: readonly string[]): Promise<Owner> => {
  count += 1
  const email = `owner${count}@example.com`
  const browser = await t.signedIn(email)
  const system = { kind: 'system', address: '', userAgent: '', requestId: 'test' } as const
  const organizations = []
  for (const name of names) {
    const input = { name: `${name} ${count}`, slug: `${name.toLowerCase()}-${count}` }
    const { id, slug, name: given } = await t.app.organizations.createFor(system, input, email, true)
    const teams: string[] = await t.app.core.db.knex('team').where({ organization_id: id }).pluck('id')
    organizations.push({ id, slug, name: given, teams })
  }
  return { email, browser, userId: (await browser.api.sessions.getSession())?.user.id ?? '', organizations }
}

/** Makes an organization the active one of all sessions of a user. */
export const activate = async (t: TestApp, { userId }: Owner, organizationId: string | null): Promise<void> => {
  await t.app.core.db.knex('session').where({ user_id: userId }).update({ active_organization_id: organizationId })
}

/** Ends only the membership, so that other rows still name the organization. */
export const removeMember = async (t: TestApp, { userId }: Owner, organizationId: string | undefined): Promise<void> => {
  await t.app.core.db
    .knex('member')
    .where({ user_id: userId, organization_id: organizationId ?? '' })
    .delete()
}

/** Only the claims about an organization. */
export const about = (claims: Json): Json =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => name.startsWith('org_')))

export const ofIdToken = (tokens: Json): Json => about(decodeJwt(String(tokens['id_token'])))

export const introspect = async (t: TestApp, application: Application, token: unknown): Promise<Json> =>
  (await postForm(t, application, '/oauth2/introspect', { token: String(token) })).json

/** Scopes and prompt for which a refresh token is issued for an organization. */
export const lasting = { scope: 'openid organizations offline_access', prompt: 'consent' } as const

/** Returns tokens for the user of this browser, by default with the scope `organizations` and a refresh token. */
export const tokensFor = async (t: TestApp, { browser }: Owner, application: Application, params: Params = {}): Promise<Json> =>
  (await redeem(t, application, await codeFor(browser, application, { ...lasting, ...params }))).json

/** The present claims about an organization at userinfo and introspection of the access and refresh token. */
export const saidNow = async (t: TestApp, application: Application, tokens: Json): Promise<Json[]> => [
  about((await userinfo(t, tokens['access_token'])).json),
  about(await introspect(t, application, tokens['access_token'])),
  about(await introspect(t, application, tokens['refresh_token'])),
]

/** An organization in the form that hosted pages get it. */
export const shownAs = (organization: Owned | undefined) => ({
  id: organization?.id,
  slug: organization?.slug,
  logo: null,
  name: organization?.name,
})

/** The claims of an owner of an organization. */
export const claimsOfOwner = (organization: Owned | undefined): Json => ({
  org_id: organization?.id,
  org_slug: organization?.slug,
  org_name: organization?.name,
  org_roles: ['owner'],
  org_teams: organization?.teams,
})
