/** People in organizations, for tests. */
import { systemPrincipal } from '../../../src/access/principal.ts'
import type { TestApp } from '../../support/app.ts'
import type { Answer, Client } from '../../support/client.ts'
import { statementsOf } from '../../support/statements.ts'

export const operator = systemPrincipal('test')

export const userOf = async (client: Client) => {
  const found = await client.api.sessions.getSession()
  if (found === null) throw new Error('nobody is signed in')
  return found.user
}

/** The active organization of a client's session, read from the database. */
export const activeOf = async (client: Client) => (await client.api.sessions.getSession())?.session.activeOrganizationId ?? null

/** Creates an organization with this slug and returns its id. */
export const create = async (client: Client, slug: string): Promise<string> =>
  (await client.api.organizations.createOrganization({ body: { name: slug, slug } })).id

/** Makes the person of a client a member, as an operator does. Returns the id of the membership. */
export const add = async (t: TestApp, organizationId: string, client: Client, role = 'member'): Promise<string> =>
  (
    await t.app.members.add(operator, {
      ...{ organization: organizationId, role, allowsUnverified: true },
      user: (await userOf(client)).id,
    })
  ).id

/** A new member, who may invite if their role allows it. */
export const joined = async (t: TestApp, organizationId: string, email: string, role = 'member') => {
  const client = await t.signedIn(email, email.split('@')[0])
  if (role !== 'member') await t.verify(email)
  return { client, id: await add(t, organizationId, client, role) }
}

/** A new person who owns an organization, which is active. */
export const owner = async (t: TestApp, email: string, slug: string) => {
  const client = await t.signedIn(email, email.split('@')[0])
  await t.verify(email)
  return { client, organizationId: await create(client, slug) }
}

/** Status and message. */
export const said = async (answer: Promise<Answer>): Promise<readonly [status: number, message: unknown]> => {
  const { status, json } = await answer
  return [status, json['message']]
}

/** Path with a query. */
export const to = (path: string, query: Record<string, string>) => `/organization/${path}?${new URLSearchParams(query)}`

/** Roles in an organization, oldest member first. */
export const rolesIn = (t: TestApp, organizationId: string): Promise<string[]> =>
  t.app.core.db.knex('member').where({ organization_id: organizationId }).orderBy(['created_at', 'id']).pluck('role')

/** Gives the owner of an organization another role before `owner`. */
export const giveRoleFirst = async (t: TestApp, organizationId: string, role: string): Promise<void> => {
  const { knex } = t.app.core.db
  const owners = knex('member').where({ organization_id: organizationId, role: 'owner' })
  await knex('member_role').insert(owners.clone().select('organization_id', 'user_id', knex.raw('?', [role])))
  await owners.update({ role: `${role},owner` })
}

/** The first words of the statements that the work runs, without begin and commit. */
export const countStatements = async (t: TestApp, work: () => Promise<unknown>): Promise<string[]> =>
  (await statementsOf(t, work))
    .map(({ sql }) => sql.split(' ', 1)[0]?.replace(/;$/, '').toLowerCase() ?? '')
    .filter((word) => word !== 'begin' && word !== 'commit')
