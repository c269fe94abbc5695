import { expect } from 'vitest'
import * as organizations from '../../src/organizations/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const organization = (id: string, changes: Partial<organizations.OrganizationRow> = {}): organizations.OrganizationRow => ({
  ...{ id, name: id, slug: `slug-${id}`, logo: null, metadata: null, createdAt: at, requiresSecondFactor: false },
  ...changes,
})
const metadata = { größe: [1.5, null, true], nested: { text: '"\\\u0001' } }

compareStore(
  'organizations/store',
  organizations,
  async ({ store, db, transact, seed, insert, note }) => {
    await seed('user')
    const terms = async () =>
      note('organizationTerms', await db.knex('organization_search').orderBy('term').orderBy('organization_id'))
    await transact(async (tx) => {
      await store.insertOrganization(
        tx,
        organization('a', { name: 'Ärzte & Co', metadata, logo: 'x', requiresSecondFactor: true }),
      )
      await store.insertOrganization(tx, organization('b', { slug: 'a', name: 'a_100%' }))
      await store.insertOrganization(tx, organization('c', { slug: 'o-c' }))
    })
    await expect(transact((tx) => store.insertOrganization(tx, organization('d', { slug: 'a' })))).rejects.toThrow()
    await terms()
    const names = [
      { id: 'a' },
      { id: 'A' },
      { slug: 'A' },
      { slug: 'unknown' },
      { id: 'a', slug: 'A' },
      { id: 'B', slug: 'O-C' },
      {},
    ]
    for (const name of names) {
      await store.findOrganization(db, name)
      await transact((tx) => store.lockNamed(tx, name))
    }
    await store.isSlugTaken(db, 'a')
    await store.isSlugTaken(db, 'A')
    const membership = { user_id: 'u', role: 'owner,member' }
    await insert('member', { ...membership, id: '2', organization_id: 'a', created_at: at })
    await insert('member', { ...membership, id: '1', organization_id: 'c', created_at: at })
    await insert('member', { ...membership, id: '3', organization_id: 'b', created_at: new Date(at.getTime() - 1) })
    await store.listNamed(db, 'u', 10)
    await store.listNamed(db, 'u', 1)
    await store.listNamed(db, 'unknown', 1)
    await transact(async (tx) => {
      await store.lockOrganization(tx, 'a')
      await store.lockOrganizationsOf(tx, 'u')
      await store.updateOrganization(tx, organization('a', { name: 'Öffentlich', slug: 'neu' }))
      await store.updateOrganization(tx, organization('b', { slug: 'a', metadata }))
      await store.updateLogo(tx, 'b', 'y')
      await store.updateLogo(tx, 'b', null)
      await store.updateLogo(tx, 'unknown', null)
      await store.deleteOrganization(tx, 'c')
      await store.deleteOrganization(tx, 'c')
    })
    await terms()
    await store.listOrganizationNames(db, ['a', 'b', 'c'])
    for (const id of ['a', 'b', 'c']) await store.findOrganization(db, { id })
    await store.listNamed(db, 'u', 10)
  },
  // Conditions and pages of members are compared by the test of their own store.
  { uncalled: ['isNamed', 'contains', 'readPage'], unordered: ['listOrganizationNames'] },
)
