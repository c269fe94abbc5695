import { afterAll, beforeAll, expect } from 'vitest'
import { createMemberAdder } from '../../../src/organizations/members/add.ts'
import { lockOrganization } from '../../../src/organizations/store.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { test, testOnBoth } from '../../support/both-databases.ts'
import { add, create, joined, operator, owner, rolesIn, userOf } from './people.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { organizations: { membershipLimit: 3 } } })
})
afterAll(() => t.stop())

/** The outcome of each of several promises: `done`, or the code of the refusal. */
const outcomes = async (work: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(work)).map((one) => (one.status === 'fulfilled' ? 'done' : (one.reason as { code: string }).code))

testOnBoth('of ten members added at the same moment one gets the last place', async () => {
  const { organizationId } = await owner(t, 'ann@example.com', 'full')
  await joined(t, organizationId, 'second@example.com')
  const people = await Promise.all(Array.from({ length: 10 }, (_, n) => t.signedIn(`p${n}@example.com`)))
  const ended = await outcomes(people.map((client) => add(t, organizationId, client)))
  expect(ended.sort()).toEqual([...Array(9).fill('ORGANIZATION_MEMBERSHIP_LIMIT_REACHED'), 'done'])
  expect(await rolesIn(t, organizationId)).toHaveLength(3)
})

testOnBoth('a user who is added several times at the same moment is one member', async () => {
  const { organizationId } = await owner(t, 'bob@example.com', 'once')
  const client = await t.signedIn('twice@example.com')
  const ended = await outcomes([1, 2, 3, 4].map(() => add(t, organizationId, client)))
  expect(ended.sort()).toEqual([...Array(3).fill('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION'), 'done'])
})

test('a member who leaves makes a place free', async () => {
  const { organizationId } = await owner(t, 'cid@example.com', 'room')
  const { client } = await joined(t, organizationId, 'leaver@example.com')
  await joined(t, organizationId, 'stayer@example.com')
  await expect(joined(t, organizationId, 'late@example.com')).rejects.toMatchObject({
    code: 'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED',
  })
  await client.post('/organization/leave', { organizationId })
  await joined(t, organizationId, 'later@example.com')
})

testOnBoth(
  'of ten concurrent requests one gets the last paid seat, the lowest of several limits applies, and the creator is always added',
  async () => {
    const ann = await t.signedIn('seats@example.com')
    const organizationId = await create(ann, 'seats')
    const { db, transact, clock, random, events } = t.app.core
    const config = { membershipLimit: 100 }
    const join = (seats: readonly (number | null)[], userId: string, roles = new Set(['member'])) => {
      const memberAdder = createMemberAdder({
        clock,
        random,
        events,
        config,
        seatLimits: seats.map((limit) => async () => (limit === null ? null : { seats: limit, isFree: false })),
      })
      return transact(async (tx) => {
        await lockOrganization(tx, organizationId)
        return memberAdder.add(tx, operator, { organizationId, userId, roles })
      })
    }
    const ids = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => (await userOf(await t.signedIn(`seat${n}@example.com`))).id),
    )
    const ended = await outcomes(ids.map((id) => join([null, 2, 5], id)))
    expect(ended.sort()).toEqual([...Array(9).fill('SEAT_LIMIT_REACHED'), 'done'])
    await db.knex('member').where({ organization_id: organizationId }).delete()
    expect(await outcomes([join([0], ids[0] ?? '', new Set(['owner']))])).toEqual(['done'])
    expect(await outcomes([join([null], ids[1] ?? '')])).toEqual(['done'])
  },
)
