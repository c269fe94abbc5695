import * as administration from '../../src/organizations/administration/store.ts'
import { insertOrganization } from '../../src/organizations/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const page = { sort: 'createdAt', order: 'asc', limit: 10, after: undefined } as const

compareStore('organizations/administration/store', administration, async ({ store, db, transact, seed, insert }) => {
  await seed('user')
  await insert('user', { id: 'v', email: 'v@example.com', name: 'Vi', image: 'x' })
  const base = { logo: null, metadata: null, requiresSecondFactor: false }
  await transact(async (tx) => {
    await insertOrganization(tx, { ...base, id: 'o', name: 'Örtlich AG', slug: 'ortlich', createdAt: at, logo: 'x' })
    await insertOrganization(tx, { ...base, id: 'p', name: 'ag', slug: 'p_ag', createdAt: time(2), metadata: { a: 1 } })
    await insertOrganization(tx, { ...base, id: 'q', name: '%_', slug: 'agent', createdAt: time(2), requiresSecondFactor: true })
  })
  const member = { organization_id: 'o', user_id: 'u', role: 'owner,member', created_at: time(1) }
  await insert('member', { ...member, id: '2' })
  await insert('member', { ...member, id: '1', user_id: 'v', role: 'member' })
  await insert('member', { ...member, id: '3', organization_id: 'p', created_at: at })
  for (const [user_id, role] of [
    ['u', 'owner'],
    ['u', 'member'],
    ['v', 'member'],
  ])
    await insert('member_role', { organization_id: 'o', user_id, role })

  for (const sort of ['createdAt', 'name', 'slug'] as const)
    for (const filter of [
      {},
      { createdSince: time(1) },
      { createdUntil: time(2) },
      { createdSince: time(2), createdUntil: time(3) },
    ]) {
      await store.totalOfOrganizations(db, filter)
      await store.pageOfOrganizations(db, filter, { ...page, sort })
      const { found } = await store.pageOfOrganizations(db, filter, { ...page, sort, order: 'desc', limit: 1 })
      await store.pageOfOrganizations(db, filter, { ...page, sort, order: 'desc', after: found[0]?.position })
      await store.pageOfOrganizations(db, filter, { ...page, sort, after: found[0]?.position })
    }
  for (const words of [['ag'], ['ort'], ['ört'], ['ag', 'p'], ['ag', 'ort'], ['%'], ['unknown'], []])
    await store.searchOrganizations(db, words, {}, page)
  await store.searchOrganizations(db, ['ag'], { createdSince: time(1), createdUntil: time(3) }, page)
  const { found } = await store.searchOrganizations(db, ['ag'], {}, { limit: 1, after: undefined })
  await store.searchOrganizations(db, ['ag'], {}, { limit: 1, after: found[0]?.position })

  for (const role of [undefined, 'owner', 'member', 'Owner', 'unknown']) {
    await store.pageOfMembers(db, 'o', role, page)
    const first = await store.pageOfMembers(db, 'o', role, { ...page, order: 'desc', limit: 1 })
    await store.pageOfMembers(db, 'o', role, { ...page, order: 'desc', after: first.found[0]?.position })
  }
  await store.pageOfMemberships(db, 'u', page)
  const newest = await store.pageOfMemberships(db, 'u', { ...page, order: 'desc', limit: 1 })
  await store.pageOfMemberships(db, 'u', { ...page, order: 'desc', after: newest.found[0]?.position })
  await store.pageOfMemberships(db, 'unknown', page)

  const invitation = { organization_id: 'o', expires_at: time(5) }
  await insert('invitation', { ...invitation, id: '1', email: 'a@example.com', team_ids: '["t"]' })
  await insert('invitation', { ...invitation, id: '2', email: 'b@example.com', inviter_id: null, by_operator: true })
  await insert('invitation', { ...invitation, id: '3', email: 'a@example.com', status: 'accepted', created_at: time(1) })
  await insert('invitation', { ...invitation, id: '4', email: 'a@example.com', organization_id: 'p', created_at: time(2) })
  await insert('invitation', { ...invitation, id: '5', email: 'c@example.com', inviter_id: 'v', expires_at: at })
  const filters: readonly administration.InvitationFilter[] = [
    {},
    { id: '4' },
    { email: 'a@example.com' },
    { email: 'a@example.com', status: 'accepted' },
    { email: 'A@example.com' },
    { organizationId: 'o', status: 'pending' },
    { inviterId: 'u' },
    { inviterId: 'v', status: 'expired' },
    { status: 'pending' },
    { status: 'expired' },
    { status: 'accepted' },
  ]
  for (const filter of filters) {
    await store.pageOfInvitations(db, filter, at, page)
    const first = await store.pageOfInvitations(db, filter, at, { ...page, order: 'desc', limit: 2 })
    await store.pageOfInvitations(db, filter, at, { ...page, order: 'desc', after: first.found[1]?.position })
  }
})
