import * as links from '../../src/billing/links/store.ts'
import { snapshotOf } from '../support/billing-state.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)
const link = (customerId: string, changes: Partial<links.LinkRow> = {}): links.LinkRow => ({
  ...{ customerId, userId: null, organizationId: null, linkedBy: 'email', email: null, linkedAt: at, ...changes },
})
const row = { is_deleted: false, created_at: '', data: '{}', version: '', delivery_id: 'd' }
const many = Array.from({ length: 70 }, (_, i) => ({ externalId: i === 0 ? 'u' : `unknown ${i}`, email: 'v@example.com' }))

compareStore(
  'billing/links/store',
  links,
  async ({ store, db, transact, seed, insert, own }) => {
    await seed('user', 'organization', 'billing_delivery')
    await insert('user', { id: 'v', email: 'v@example.com' })
    await insert('user', { id: 'w', email: 'w@example.com', email_verified: false })
    await insert('member', { id: 'm', organization_id: 'o', user_id: 'u', role: 'owner', created_at: at })
    const customer = (id: string, email: string | null, external_id: string | null = null) =>
      insert('billing_customer', { ...row, id, email, external_id, snapshot: snapshotOf(id, { text: 'ü' }) })
    await customer('1', 'v@example.com', 'u')
    await customer('2', 'v@example.com')
    await customer('3', null, 'o')
    await customer('4', 'new@example.com')
    await customer('5', 'u@example.com')

    await transact(async (tx) => {
      await store.upsertLinks(tx, [])
      await store.upsertLinks(tx, [link('1', { userId: 'u', linkedBy: 'external_id' })])
      await store.upsertLinks(tx, [
        link('3', { organizationId: 'o', linkedBy: 'operator' }),
        link('5'),
        link('1', { userId: 'v' }),
      ])
      await store.upsertLinks(tx, [link('1', { userId: 'u', linkedBy: 'external_id', linkedAt: later })])
      await store.claimLink(tx, link('4', { userId: 'u', email: 'old@example.com' }))
      // A link to the present address, then one to a former address.
      await store.claimLink(tx, link('4', { userId: 'v', email: 'old@example.com' }))
      await store.claimLink(tx, link('4', { userId: 'v', email: 'new@example.com', linkedAt: later }))
      await store.claimLink(tx, link('1', { userId: 'v', email: 'v@example.com' }))
    })
    await store.claimableSnapshots(db, 'u@example.com')
    await store.claimableSnapshots(db, 'v@example.com')
    await store.claimableSnapshots(db, 'V@example.com')
    await transact(async (tx) => {
      await store.claimLink(tx, link('5', { userId: 'u', email: 'u@example.com' }))
    })
    for (const id of ['1', '2', '3', '4', '5']) await store.findLink(db, id)
    await store.listLinks(db, ['1', '2', '3'])
    await store.listLinks(db, [])
    await transact((tx) => store.upsertLinks(tx, [link('5')]))
    await store.listLinkedBy(db, ['1', '2', '3', '4', '5'])
    await store.listLinkedBy(db, [])

    const identities = [
      { externalId: 'u', email: 'v@example.com' },
      { externalId: 'o', email: 'w@example.com' },
      { externalId: 'U', email: 'V@example.com' },
      { externalId: null, email: 'u@example.com' },
      { externalId: null, email: null },
    ]
    for (const lock of [true, false]) {
      await transact((tx) => store.findOwners(tx, identities, { lock }))
      await transact((tx) => store.findOwners(tx, identities.slice(0, 1), { lock }))
    }
    await store.findOwners(db, [], { lock: false })
    await store.findOwners(db, many, { lock: false })
    await store.findIdentity(db, '1')
    await store.findIdentity(db, '3')
    await store.findIdentity(db, 'unknown')
    await transact(async (tx) => {
      await store.lockCustomersAt(tx, 'v@example.com')
      await store.lockCustomersAt(tx, 'unknown')
      for (const id of ['u', 'v', 'o', 'unknown']) await store.lockCustomersOf(tx, id)
      for (const [customerId, id] of [
        ['1', 'u'],
        ['1', 'v'],
        ['3', 'o'],
        ['5', 'u'],
      ] as const)
        await store.lockLinkTo(tx, customerId, id)
    })
    for (const organizationId of ['o', null])
      for (const userId of ['u', 'v', null]) await store.snapshotsOf(db, { userId, organizationId })
    await own('ownLinks', links.ownLinks, { id: 'u', verifiedEmail: undefined })
    await transact(async (tx) => {
      await store.deleteLink(tx, '1')
      await store.deleteLink(tx, '1')
    })
    await store.snapshotsOf(db, { userId: 'u', organizationId: 'o' })
  },
  { unordered: ['listLinks', 'snapshotsOf'] },
)
