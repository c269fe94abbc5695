import * as seats from '../../src/organizations/seats/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)

compareStore(
  'organizations/seats/store',
  seats,
  async ({ store, db, seed, insert }) => {
    await seed('user', 'organization')
    await insert('user', { id: 'v', email: 'v@example.com' })
    await insert('organization', { id: 'p', slug: 'p', name: 'Ü_%' })
    for (const user_id of ['u', 'v'])
      await insert('member', { id: user_id, organization_id: 'p', user_id, role: 'member', created_at: at })
    const invitation = { organization_id: 'p', expires_at: later }
    await insert('invitation', { ...invitation, id: '1', email: '1' })
    await insert('invitation', { ...invitation, id: '2', email: '2', expires_at: at })
    await insert('invitation', { ...invitation, id: '3', email: '3', status: 'accepted' })
    await store.listTakenSeats(db, [], at)
    await store.listTakenSeats(db, ['o', 'p', 'unknown'], at)
    await store.listTakenSeats(db, ['p'], later)
    await store.listTakenSeats(db, ['P'], at)
  },
  { unordered: ['listTakenSeats'] },
)
