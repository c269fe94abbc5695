import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { organizationAuditContract } from '../../../src/audit/contract.ts'
import type { Route } from '../../../src/http/handlers.ts'
import { organizationContract } from '../../../src/organizations/contract.ts'
import { invitationContract } from '../../../src/organizations/invitations/contract.ts'
import { organizationLogoContract } from '../../../src/organizations/logo/contract.ts'
import { memberContract } from '../../../src/organizations/members/contract.ts'
import { teamContract } from '../../../src/organizations/teams/contract.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Answer, Client } from '../../support/client.ts'
import { imageOf } from '../../support/images.ts'
import { create, joined, owner, userOf } from './people.ts'

/** The objects of the organization that the attackers try to reach. */
interface Tenant {
  readonly id: string
  readonly slug: string
  readonly memberId: string
  readonly userId: string
  readonly email: string
  readonly teamId: string
  readonly invitationId: string
}

/** The code of a refusal, or 200 for an answer without any data of the tenant. */
type Said = string | 200

interface Attempt {
  /** Fields other than those that name the organization. */
  readonly input?: (tenant: Tenant) => object
  /** The answer to outsiders, by whichever field, header or active organization they name it. */
  readonly outsider?: Said
  /** The answer where it is different, when only a stale session names the organization. */
  readonly stale?: Said
  /** The answer when the caller's own organization is named, and the rest belongs to the tenant. */
  readonly withOwn?: Said
  /** The answer when no organization is named, so that it follows from the object or from nothing. */
  readonly unnamed?: Said
}

const notMember = 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'
const notAMember = 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION'
const noMember = 'MEMBER_NOT_FOUND'
const noTeam = 'TEAM_NOT_FOUND'
const noUpdate = 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_TEAM'
const noRecipient = 'YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION'
const inviting = ({ teamId }: Tenant) => ({ email: 'new@example.com', role: 'owner', teamId })
const ofTeam = ({ teamId, userId }: Tenant) => ({ teamId, userId })
const ofInvitation = ({ invitationId }: Tenant) => ({ invitationId })
const mail = ({ email }: Tenant) => ({ memberIdOrEmail: email })

const attempts: Readonly<Record<string, readonly Attempt[]>> = {
  createOrganization: [{ input: ({ slug }) => ({ name: 'X', slug }), unnamed: 'ORGANIZATION_ALREADY_EXISTS' }],
  checkSlug: [{ input: ({ slug }) => ({ slug }), unnamed: 'SLUG_IS_TAKEN' }],
  updateOrganization: [
    { input: () => ({ data: { name: 'Taken over' } }), outsider: notMember },
    { input: ({ slug }) => ({ data: { slug } }), outsider: notMember, withOwn: 'ORGANIZATION_ALREADY_EXISTS' },
  ],
  deleteOrganization: [{ outsider: notMember }],
  setOrganizationLogo: [{ outsider: notMember }],
  removeOrganizationLogo: [{ outsider: notMember }],
  listOrganizations: [{ unnamed: 200 }],
  listOrganizationEvents: [
    { outsider: notAMember },
    { input: ({ userId }) => ({ actor: userId }), outsider: notAMember, withOwn: 200 },
  ],
  getOrganization: [{ outsider: notMember }],
  getFullOrganization: [{ outsider: notMember }],
  setActiveOrganization: [{ outsider: notMember }],
  listMembers: [
    { outsider: notAMember },
    { input: ({ userId }) => ({ filterField: 'userId', filterValue: userId }), outsider: notAMember, withOwn: 200 },
    { input: ({ teamId }) => ({ filterField: 'teamId', filterValue: teamId }), outsider: notAMember, withOwn: 200 },
  ],
  removeMember: [
    { input: ({ memberId }) => ({ memberIdOrEmail: memberId }), outsider: noMember, withOwn: noMember },
    { input: mail, outsider: noMember, withOwn: noMember },
  ],
  updateMemberRole: [{ input: ({ memberId }) => ({ memberId, role: 'owner' }), outsider: noMember, withOwn: noMember }],
  transferOwnership: [{ input: ({ memberId }) => ({ memberId }), outsider: noMember, withOwn: noMember }],
  getActiveMember: [{ outsider: noMember }],
  getActiveMemberRole: [
    { outsider: notAMember },
    { input: ({ userId }) => ({ userId }), outsider: notAMember, withOwn: noMember },
  ],
  leaveOrganization: [{ outsider: noMember }],
  hasPermission: [{ input: () => ({ permissions: { organization: ['delete'] } }), outsider: notMember }],
  inviteMember: [{ input: inviting, outsider: noMember, withOwn: noTeam }],
  inviteMembers: [
    { input: ({ teamId }) => ({ emails: ['new@example.com'], role: 'owner', teamId }), outsider: noMember, withOwn: noTeam },
  ],
  acceptInvitation: [{ input: ofInvitation, unnamed: noRecipient }],
  rejectInvitation: [{ input: ofInvitation, unnamed: noRecipient }],
  cancelInvitation: [{ input: ofInvitation, unnamed: noMember }],
  getInvitation: [{ input: ({ invitationId }) => ({ id: invitationId }), unnamed: noRecipient }],
  listInvitations: [{ outsider: notAMember }],
  listUserInvitations: [{ unnamed: 200 }, { input: () => ({ email: 'invited@victim.example' }), unnamed: noRecipient }],
  createTeam: [{ input: () => ({ name: 'X' }), outsider: 'YOU_ARE_NOT_ALLOWED_TO_CREATE_TEAMS_IN_THIS_ORGANIZATION' }],
  updateTeam: [{ input: ({ teamId }) => ({ teamId, data: { name: 'Taken over' } }), outsider: noUpdate, withOwn: noTeam }],
  removeTeam: [{ input: ({ teamId }) => ({ teamId }), outsider: 'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_TEAM', withOwn: noTeam }],
  listTeams: [{ outsider: notAMember }],
  listUserTeams: [{ input: ({ userId }) => ({ userId }), outsider: notAMember, withOwn: 200 }],
  setActiveTeam: [{ input: ({ teamId }) => ({ teamId }), unnamed: noTeam, stale: 'USER_IS_NOT_A_MEMBER_OF_THE_TEAM' }],
  listTeamMembers: [{ input: ({ teamId }) => ({ teamId }), unnamed: noTeam, withOwn: noTeam }],
  addTeamMember: [{ input: ofTeam, outsider: noUpdate, withOwn: noTeam }],
  removeTeamMember: [{ input: ofTeam, outsider: noUpdate, withOwn: noTeam }],
}

const logo = await imageOf()

let t: TestApp
let tenant: Tenant
/** The owner of another organization. */
let eve: Client
let eves: string
/** A former owner of the tenant. */
let rae: Client
let raes: string

const tables = ['organization', 'member', 'team', 'team_member', 'invitation']
const stateOf = async (id: string) => {
  const state: unknown[] = []
  for (const table of tables)
    state.push(
      await t.app.core.db
        .knex(table)
        .where(table === 'organization' ? { id } : { organization_id: id })
        .orderBy('id'),
    )
  return state
}

beforeAll(async () => {
  t = await testApp()
  const { client: vic, organizationId: id } = await owner(t, 'vic@victim.example', 'victim-incorporated')
  const { id: memberId, client: mia } = await joined(t, id, 'mia@victim.example', 'admin')
  const full = await vic.api.organizations.getFullOrganization()
  const teamId = full?.teams[0]?.id ?? ''
  const userId = (await userOf(mia)).id
  await vic.api.teams.addTeamMember({ body: { teamId, userId } })
  const body = { email: 'invited@victim.example', role: 'admin' }
  const { id: invitationId } = await vic.api.invitations.inviteMember({ body })
  tenant = { id, slug: 'victim-incorporated', memberId, userId, email: 'mia@victim.example', teamId, invitationId }
  ;({ client: eve, organizationId: eves } = await owner(t, 'eve@example.com', 'eves'))
  const removed = await joined(t, id, 'rae@example.com', 'owner')
  rae = removed.client
  raes = await create(rae, 'raes')
  await rae.api.organizations.setActiveOrganization({ body: { organizationId: id } })
  await vic.api.members.removeMember({ body: { memberIdOrEmail: removed.id } })
  // A person who verified an address may list its pending invitations.
  await t.app.core.db.knex('user').whereIn('email', ['eve@example.com', 'rae@example.com']).update({ email_verified: true })
})
afterAll(() => t.stop())

const routesOf = (name: string): Route => {
  const route = t.app.routes.find((one) => one.name === name)
  if (route === undefined) throw new Error(`${name} is not served`)
  return route
}

/** Fields in which a call takes the organization. */
const fieldsOf = ({ endpoint }: Route): readonly string[] =>
  Object.keys(((endpoint.body ?? endpoint.query) as z.ZodObject | undefined)?.shape ?? {})

const call = (client: Client, { endpoint }: Route, input: object, headers: Record<string, string> = {}): Promise<Answer> => {
  const { method, path, encoding } = endpoint
  if (method === 'POST') return client.post(path, input, headers)
  const upload = encoding === 'upload' ? { body: new Uint8Array(logo) } : {}
  const init = { method, headers: { ...headers, ...(encoding === 'upload' ? { 'content-type': 'image/png' } : {}) }, ...upload }
  return client.request(`${path}?${new URLSearchParams(input as Record<string, string>)}`, init)
}

/** Sets the active organization of a client's session, allowed or not. */
const actFor = async (client: Client, organizationId: string | null) => {
  const { id } = await userOf(client)
  await t.app.core.db.knex('session').where({ user_id: id }).update({ active_organization_id: organizationId })
}

const check = (answer: Answer, expected: Said, how: string) => {
  expect([how, answer.status === 200 ? 200 : answer.json['code']]).toEqual([how, expected])
  // Only values that the caller sent may be in the answer.
  for (const secret of ['victim.example', 'victim-incorporated', tenant.id, tenant.memberId, tenant.teamId, tenant.invitationId])
    expect(answer.text, how).not.toContain(secret)
}

test('every endpoint of organizations is in the table of this test', () => {
  const contracts = {
    ...organizationContract,
    ...memberContract,
    ...invitationContract,
    ...teamContract,
    ...organizationAuditContract,
    ...organizationLogoContract,
  }
  const declared = Object.entries(contracts).flatMap(([name, { path }]) => (path.startsWith('/organization/') ? [name] : []))
  const served = t.app.routes.flatMap(({ name, endpoint }) => (endpoint.path.startsWith('/organization') ? [name] : []))
  expect(served.sort()).toEqual(declared.sort())
  expect(Object.keys(attempts).sort()).toEqual(served)
})

describe.each(Object.entries(attempts))('%s', (name, tries) => {
  test('no endpoint of organizations gives access to another organization or reveals anything about it', async () => {
    const route = routesOf(name)
    const fields = fieldsOf(route)
    const before = await stateOf(tenant.id)
    for (const [client, own] of [
      [eve, eves],
      [rae, raes],
    ] as const)
      for (const { input = () => ({}), outsider, withOwn, unnamed, stale = outsider } of tries) {
        const rest = input(tenant)
        const attempt = async (how: string, expected: Said, active: string | null, more: object = {}, headers = {}) => {
          await actFor(client, active)
          const answer = await call(client, route, { ...rest, ...more }, headers)
          check(answer, expected, how)
          return answer
        }
        if (outsider !== undefined) {
          const byId = await attempt('id', outsider, own, { organizationId: tenant.id })
          const unknown = await attempt('unknown id', outsider, own, { organizationId: 'nobody-knows' })
          // The answer does not even show that the organization exists.
          expect([unknown.status, unknown.text]).toEqual([byId.status, byId.text])
          if (fields.includes('organizationSlug')) await attempt('slug', outsider, own, { organizationSlug: tenant.slug })
          const isIdNeeded = name === 'deleteOrganization' || name === 'leaveOrganization'
          if (!isIdNeeded) {
            await attempt('header id', outsider, own, {}, { 'gatehouse-organization': tenant.id })
            await attempt('header slug', outsider, own, {}, { 'gatehouse-organization': tenant.slug })
          }
          if (!isIdNeeded && stale !== undefined) await attempt('stale session', stale, tenant.id)
        }
        if (withOwn !== undefined) {
          await attempt('own id', withOwn, own, { organizationId: own })
          await attempt('own active', withOwn, own)
          await attempt('own id, stale session', withOwn, tenant.id, { organizationId: own })
        }
        if (unnamed !== undefined) {
          await attempt('own active', unnamed, own)
          await attempt('stale session', stale ?? unnamed, tenant.id)
          await attempt('header', unnamed, own, {}, { 'gatehouse-organization': tenant.id })
        }
      }
    expect(await stateOf(tenant.id)).toEqual(before)
  })

  test('every endpoint of organizations requires a session', async () => {
    for (const { input = () => ({}) } of tries) {
      const route = routesOf(name)
      const answer = await call(t.client(), route, { ...input(tenant), organizationId: tenant.id })
      expect(answer.status).toBe(401)
    }
  })
})
