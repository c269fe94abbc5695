import { expect } from 'vitest'
import * as invitations from '../../src/organizations/invitations/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const invitation = (id: string, changes: Partial<invitations.InvitationRow> = {}): invitations.InvitationRow => ({
  ...{ id, organizationId: 'o', email: `${id}@example.com`, role: 'member', status: 'pending', teamIds: [], inviterId: 'u' },
  ...{ byOperator: false, expiresAt: time(5), createdAt: at, ...changes },
})

compareStore('organizations/invitations/store', invitations, async ({ store, db, transact, seed, insert, own }) => {
  await seed('user', 'organization')
  await insert('organization', { id: 'p', slug: 'p', name: 'Ü_%' })
  const first = invitation('a', { teamIds: ['t', 'ü'] })
  await transact(async (tx) => {
    await store.insertInvitation(tx, first)
    await store.insertInvitation(tx, invitation('b', { createdAt: time(1), inviterId: null, byOperator: true }))
    await store.insertInvitation(tx, invitation('c', { email: 'a@example.com', status: 'rejected', createdAt: time(1) }))
    await store.insertInvitation(tx, invitation('d', { organizationId: 'p', email: 'a@example.com', expiresAt: time(4) }))
    await store.insertInvitation(tx, invitation('e', { expiresAt: at }))
  })
  const again = invitation('f', { email: 'a@example.com' })
  await expect(transact((tx) => store.insertInvitation(tx, again))).rejects.toThrow()
  for (const id of ['a', 'b', 'A']) await store.findInvitation(db, id)
  for (const email of ['a@example.com', 'e@example.com', 'A@example.com']) await store.findPending(db, 'o', email)
  await store.listInvitations(db, 'o', { limit: 10, offset: 0 })
  await store.listInvitations(db, 'o', { limit: 2, offset: 1 })
  await store.listPending(db, 'o', at, 10)
  await store.listPending(db, 'o', at, 1)
  await store.listPending(db, 'p', time(4), 10)
  await store.listPendingFor(db, 'a@example.com', at, 10)
  await store.listPendingFor(db, 'a@example.com', time(4), 10)
  await store.listPendingFor(db, 'A@example.com', at, 10)
  await store.listPendingBy(db, { inviterId: 'u', organizationId: 'o' }, at)
  await store.listPendingBy(db, { inviterId: 'u' }, at)
  await store.listPendingBy(db, { inviterId: 'u', organizationId: 'p' }, time(4))
  await store.countPending(db, 'o', at)
  await store.countPending(db, 'o', time(5))
  for (const [i, part] of invitations.ownInvitations.entries()) {
    await own('ownInvitations', part, { id: 'u', verifiedEmail: 'a@example.com' })
    await own('ownInvitations', part, { id: `${i}`, verifiedEmail: undefined })
  }
  const renewal = { expiresAt: time(9), inviterId: null, byOperator: true }
  await transact(async (tx) => {
    await store.renewInvitation(tx, first, renewal)
    await store.renewInvitation(tx, { ...first, organizationId: 'p' }, renewal)
    await store.settle(tx, first, 'accepted')
    await store.settle(tx, first, 'canceled')
    await store.renewInvitation(tx, first, renewal)
  })
  await store.findInvitation(db, 'a')
  await store.findPending(db, 'o', 'a@example.com')
})
