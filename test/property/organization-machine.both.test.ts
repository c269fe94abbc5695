import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../support/app.ts'
import type { Answer, Client } from '../support/client.ts'
import { explore } from '../support/explore.ts'

const limits = { membershipLimit: 3, pendingInvitationLimit: 2, teamLimit: 2, teamMemberLimit: 2 }

const limitCodes = [
  'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED',
  'INVITATION_LIMIT_REACHED',
  'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS',
  'TEAM_MEMBER_LIMIT_REACHED',
] as const

let t: TestApp
beforeAll(async () => {
  // Sessions last longer than all clock changes of the test.
  const sessions = { expiresInSeconds: 34_560_000, absoluteExpiresInSeconds: 34_560_000 }
  t = await testApp({
    config: { organizations: { ...limits, removingAllTeamsEnabled: true, inviteNeedsVerifiedEmail: false }, sessions },
  })
})
afterAll(() => t.stop())

interface Row {
  readonly id: string
  readonly organization_id: string
  readonly user_id: string
  readonly team_id: string
  readonly email: string
  readonly role: string
  readonly status: string
  readonly expires_at: Date | number
  readonly active_organization_id: string | null
  readonly active_team_id: string | null
}

/** All rows, read between two batches. */
interface World {
  readonly organizations: readonly Row[]
  readonly members: readonly Row[]
  readonly invitations: readonly Row[]
  readonly teams: readonly Row[]
  readonly places: readonly Row[]
  readonly sessions: readonly Row[]
  readonly users: readonly Row[]
}

const look = async (): Promise<World> => {
  const rows = (name: string): Promise<Row[]> => t.app.core.db.knex(name).select().orderBy('id')
  return {
    organizations: await rows('organization'),
    members: await rows('member'),
    invitations: await rows('invitation'),
    teams: await rows('team'),
    places: await rows('team_member'),
    sessions: await rows('session'),
    users: await rows('user'),
  }
}

/** One call of one person. */
interface Step {
  readonly client: Client
  readonly address: string
  readonly other: string
  readonly pick: number
  readonly world: World
  /** The organization of the call, mostly one that the person belongs to. */
  readonly organizationId: string
}

const oneOf = (rows: readonly Row[], pick: number): Row | undefined => rows[pick % Math.max(1, rows.length)]
const within = (rows: readonly Row[], organizationId: string) => rows.filter((row) => row.organization_id === organizationId)
const roles = ['member', 'admin', 'owner', 'admin,member', 'owner,admin'] as const
const roleOf = (pick: number) => roles[pick % roles.length]
const post = (client: Client, call: string, body: Record<string, unknown>) => client.post(`/organization/${call}`, body)
let slugs = 0

const answerWith =
  (call: string) =>
  ({ client, address, pick, world }: Step) => {
    const mine = world.invitations.filter(({ email, status }) => email === address && (pick % 10 === 0 || status === 'pending'))
    return post(client, `${call}-invitation`, { invitationId: oneOf(mine, pick)?.id ?? 'none' })
  }

const calls: Readonly<Record<string, (step: Step) => Promise<Answer>>> = {
  signUp: ({ client, address }) => client.post('/sign-up/email', { name: 'Ann', email: address, password }),
  create: ({ client, pick }) => {
    slugs += 1
    return post(client, 'create', {
      name: 'Acme',
      slug: pick % 6 === 0 ? `run-${slugs}` : 'first-1',
      keepCurrentActiveOrganization: pick % 2 === 0,
    })
  },
  invite: ({ client, other, pick, world, organizationId }) => {
    const team = pick % 2 === 0 ? oneOf(within(world.teams, organizationId), pick) : undefined
    const more = team === undefined ? {} : { teamId: team.id }
    return post(client, 'invite-member', { email: other, role: roleOf(pick), organizationId, resend: pick % 5 === 0, ...more })
  },
  accept: answerWith('accept'),
  reject: answerWith('reject'),
  cancel: ({ client, pick, world, organizationId }) =>
    post(client, 'cancel-invitation', { invitationId: oneOf(within(world.invitations, organizationId), pick)?.id ?? 'none' }),
  leave: ({ client, organizationId }) => post(client, 'leave', { organizationId }),
  remove: ({ client, pick, world, organizationId }) =>
    post(client, 'remove-member', {
      memberIdOrEmail: oneOf(within(world.members, organizationId), pick)?.id ?? 'none',
      organizationId,
    }),
  changeRole: ({ client, pick, world, organizationId }) =>
    post(client, 'update-member-role', {
      memberId: oneOf(within(world.members, organizationId), pick)?.id ?? 'none',
      role: roleOf(pick + 1),
      organizationId,
    }),
  setActive: ({ client, pick, organizationId }) =>
    post(client, 'set-active', { organizationId: pick % 5 === 0 ? null : organizationId }),
  createTeam: ({ client, organizationId }) => post(client, 'create-team', { name: 'Team', organizationId }),
  removeTeam: ({ client, pick, world, organizationId }) =>
    post(client, 'remove-team', { teamId: oneOf(within(world.teams, organizationId), pick)?.id ?? 'none', organizationId }),
  addToTeam: ({ client, pick, world, organizationId }) =>
    post(client, 'add-team-member', {
      teamId: oneOf(within(world.teams, organizationId), pick)?.id ?? 'none',
      userId: oneOf(within(world.members, organizationId), pick + 1)?.user_id ?? 'none',
      organizationId,
    }),
  removeFromTeam: ({ client, pick, world, organizationId }) => {
    const place = oneOf(within(world.places, organizationId), pick)
    return post(client, 'remove-team-member', {
      ...{ teamId: place?.team_id ?? 'none', userId: place?.user_id ?? 'none', organizationId },
    })
  },
  setActiveTeam: ({ client, pick, world, organizationId }) =>
    post(client, 'set-active-team', { teamId: oneOf(within(world.teams, organizationId), pick)?.id ?? null }),
  deleteOrganization: ({ client, pick, organizationId }) =>
    post(client, 'delete', { organizationId: pick % 6 === 0 ? organizationId : 'none' }),
  deleteUser: ({ client, pick }) => client.post('/delete-user', { password: pick % 2 === 0 ? password : 'never right' }),
}

/** Chosen more often than others, so that sequences make progress. */
const often = [
  'signUp',
  'invite',
  'invite',
  'invite',
  'accept',
  'accept',
  'accept',
  'accept',
  'changeRole',
  'setActive',
  'addToTeam',
]

/** Addresses of people who may do the action in some organization. */
const ableTo = (what: string, { invitations, members, users }: World, addresses: readonly string[]): readonly string[] => {
  if (what === 'signUp') return addresses.filter((address) => !users.some(({ email }) => email === address))
  if (what === 'deleteUser')
    return addresses.filter((address) => {
      const userId = users.find(({ email }) => email === address)?.id
      return userId !== undefined && !members.some(({ user_id, role }) => user_id === userId && role.includes('owner'))
    })
  if (what === 'accept' || what === 'reject')
    return invitations.filter(({ status }) => status === 'pending').map(({ email }) => email)
  const rights = members.filter(({ role }) => what === 'leave' || what.startsWith('setActive') || role !== 'member')
  return users.filter(({ id }) => rights.some(({ user_id }) => user_id === id)).map(({ email }) => email)
}

const noAnswer: Pick<Answer, 'status' | 'text' | 'json'> = { status: 500, text: 'no such call', json: {} }

const countBy = (rows: readonly Row[], key: (row: Row) => string): readonly number[] =>
  [...Map.groupBy(rows, key).values()].map((group) => group.length)
const most = (counts: readonly number[]) => Math.max(0, ...counts)

const moves: Readonly<Record<string, readonly string[]>> = {
  pending: ['pending', 'accepted', 'rejected', 'canceled'],
  accepted: ['accepted'],
  rejected: ['rejected'],
  canceled: ['canceled'],
}

const holds = (before: World, after: World) => {
  const { organizations, members, invitations, teams, places, sessions } = after
  const memberships = members.map(({ organization_id, user_id }) => `${organization_id} ${user_id}`)
  for (const { id } of organizations) {
    const owners = within(members, id).filter(({ role }) => role.split(',').includes('owner'))
    expect(owners.length, 'an organization keeps an owner').toBeGreaterThan(0)
  }
  expect(new Set(memberships).size, 'nobody is a member twice').toBe(memberships.length)
  expect(most(countBy(members, (row) => row.organization_id))).toBeLessThanOrEqual(limits.membershipLimit)
  expect(most(countBy(teams, (row) => row.organization_id))).toBeLessThanOrEqual(limits.teamLimit)
  expect(most(countBy(places, (row) => row.team_id))).toBeLessThanOrEqual(limits.teamMemberLimit)
  const pending = invitations.filter(({ status }) => status === 'pending')
  const waiting = pending.filter(({ expires_at }) => new Date(expires_at).getTime() > Date.now())
  expect(most(countBy(waiting, (row) => row.organization_id))).toBeLessThanOrEqual(limits.pendingInvitationLimit)
  expect(
    most(countBy(pending, (row) => `${row.organization_id} ${row.email}`)),
    'an address is invited once',
  ).toBeLessThanOrEqual(1)
  const left = new Set(organizations.map(({ id }) => id))
  const now = new Map(invitations.map(({ id, status }) => [id, status]))
  for (const { id, status, organization_id } of before.invitations) {
    if (!left.has(organization_id)) continue
    expect(moves[status], 'a status moves once, from pending').toContain(now.get(id))
  }
  for (const { organization_id, user_id, team_id } of places) {
    expect(memberships, 'only members are in teams').toContain(`${organization_id} ${user_id}`)
    expect(teams.find(({ id }) => id === team_id)?.organization_id).toBe(organization_id)
  }
  const seats = places.map((row) => `${row.organization_id} ${row.team_id} ${row.user_id}`)
  expect(new Set(seats).size, 'nobody is in a team twice').toBe(seats.length)
  for (const { user_id, active_organization_id, active_team_id } of sessions) {
    if (active_organization_id !== null)
      expect(memberships, 'a session acts for an organization of its user').toContain(`${active_organization_id} ${user_id}`)
    if (active_team_id !== null)
      expect(seats, 'and for a team of them').toContain(`${active_organization_id} ${active_team_id} ${user_id}`)
  }
}

/** Every member who joined in a batch was invited in this batch or before, with the roles that they got. */
const joinedByInvitation = (before: World, after: World) => {
  const old = new Set(before.members.map(({ id }) => id))
  for (const member of after.members) {
    const isFounder = !before.organizations.some(({ id }) => id === member.organization_id)
    if (old.has(member.id) || isFounder) continue
    const { email } = after.users.find(({ id }) => id === member.user_id) ?? {}
    const accepted = within(after.invitations, member.organization_id).filter(
      (invitation) => invitation.email === email && invitation.status === 'accepted',
    )
    expect(accepted.length, 'who joins has accepted an invitation').toBeGreaterThan(0)
  }
}

const attempt = fc.record({
  who: fc.nat(4),
  whom: fc.nat(4),
  what: fc.constantFrom(...Object.keys(calls), ...often),
  pick: fc.nat(29),
  where: fc.nat(29),
})
const batch = fc.oneof(
  { weight: 15, arbitrary: fc.array(attempt, { minLength: 1, maxLength: 5 }) },
  { weight: 1, arbitrary: fc.nat(2).map((n) => ({ hours: 20 * (n + 1) })) },
)

test("under random concurrent requests every organization keeps an owner and its limits, invitations change status once, and sessions are active only in their user's organizations", async () => {
  let number = 0
  const refusals = new Set<string>()
  const effects = new Set<string>()
  const everyCall = Object.keys(calls).sort()
  await explore(
    fc.asyncProperty(fc.array(batch, { minLength: 8, maxLength: 18, size: 'max' }), async (batches) => {
      number += 1
      const addresses = Array.from({ length: 5 }, (_, i) => `${'abcde'[i]}@run${number}.example`)
      // The first person has two browsers, and a call in one changes the active organization in the other.
      const people = addresses.map((address, i) => ({ address, clients: i === 0 ? [t.client(), t.client()] : [t.client()] }))
      for (const { address, clients } of people) {
        await clients[0]?.post('/sign-up/email', { name: 'Ann', email: address, password })
        await clients[1]?.post('/sign-in/email', { email: address, password })
      }
      // The run begins near the limits: an organization with an owner and an administrator, both in its team, and two invited people.
      const [founder = t.client(), admin = t.client()] = people.flatMap(({ clients }) => clients.slice(-1))
      const founded = await post(founder, 'create', { name: 'Acme', slug: `first-${number}` })
      const organizationId = String(founded.json['id'])
      const { teamId } = (founded.json['members'] as { teamId: string }[])[0] ?? {}
      for (const [i, email] of addresses.slice(1, 4).entries()) {
        const invited = await post(founder, 'invite-member', {
          email,
          role: i === 0 ? 'admin' : 'member',
          teamId,
          organizationId,
        })
        if (i === 0) expect((await post(admin, 'accept-invitation', { invitationId: invited.json['id'] })).status).toBe(200)
      }
      let world = await look()
      for (const one of batches) {
        if ('hours' in one) {
          t.clock.advance(one)
          continue
        }
        const steps = one.map(({ who, whom, what, pick, where }) => {
          // Mostly a person who may do it, because other calls are refused.
          const able = where % 5 === 0 ? [] : ableTo(what, world, addresses)
          const address = able.length > 0 ? able[who % able.length] : addresses[who]
          const clients = people.find((person) => person.address === address)?.clients ?? []
          const userId = world.users.find(({ email }) => email === address)?.id
          const own = world.members.filter(({ user_id }) => user_id === userId).map(({ organization_id }) => organization_id)
          const from = own.length > 0 && where % 7 !== 0 ? own : world.organizations.map(({ id }) => id)
          const organization = from[pick % Math.max(1, from.length)] ?? 'none'
          const client = clients[pick % clients.length] ?? t.client()
          return {
            what,
            step: { client, address: address ?? '', other: addresses[whom] ?? '', pick, world, organizationId: organization },
          }
        })
        await Promise.all(
          steps.map(async ({ what, step }) => {
            const { status, text, json } = (await calls[what]?.(step)) ?? noAnswer
            expect([what, status < 500, text]).toEqual([what, true, text])
            if (status !== 200) refusals.add(String(json['code']))
            else if (text !== 'null') effects.add(what)
          }),
        )
        const after = await look()
        holds(world, after)
        joinedByInvitation(world, after)
        world = after
      }
      // Every run begins without the organizations of the previous one.
      await t.app.core.db.knex('organization').delete()
      await t.app.core.db.knex('session').delete()
    }),
    () => effects.size === everyCall.length && limitCodes.every((code) => refusals.has(code)),
  )
  expect([...effects].sort(), 'every call had an effect at least once').toEqual(everyCall)
  expect([...refusals], 'every limit was reached').toEqual(expect.arrayContaining([...limitCodes]))
}, 300_000)
