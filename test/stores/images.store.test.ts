import * as images from '../../src/images/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1)
const row: images.ImageRow = {
  ...{ id: 'a', kind: 'user-picture', ownerId: 'u', sourceHash: '1', mediaType: 'image/webp', width: 1, height: 2 },
  ...{ bytes: Buffer.from([0, 255, 39, 92]), createdAt: at, usedAt: null },
}

compareStore('images/store', images, async ({ store, db, transact, sweep, note }) => {
  await transact(async (tx) => {
    await store.putImage(tx, row)
    // An image of the same source stays, and one of another source replaces it.
    await store.putImage(tx, { ...row, id: 'b', width: 3 })
    await store.findOfOwner(tx, row)
    await store.putImage(tx, { ...row, id: 'c', sourceHash: '2', bytes: Buffer.alloc(0), width: 3 })
    await store.putImage(tx, { ...row, id: 'd', kind: 'organization-logo', mediaType: 'image/svg+xml' })
    for (const [id, usedAt] of Object.entries({ e: at, f: at, g: later }))
      await store.putImage(tx, { ...row, id, kind: 'brand-logo', ownerId: id, usedAt })
  })
  for (const id of ['a', 'c', 'd', 'e']) await store.findImage(db, id)
  await store.countImages(db, ['c', 'd', 'nothing'])
  await store.findOfOwner(db, { kind: 'organization-logo', ownerId: 'u' })
  await store.findOfOwner(db, { kind: 'client-logo', ownerId: 'u' })
  await transact(async (tx) => {
    await store.noteUse(tx, ['c', 'e', 'g'], later, later)
    await store.noteUse(tx, [], later, later)
  })
  note('noteUse', await db.knex('image').where('used_at', later).orderBy('id').pluck('id'))
  await transact(async (tx) => {
    await store.deleteUnused(tx, at, 10)
    await store.deleteUnused(tx, later, 10)
    await store.deleteOfOwner(tx, { kind: 'organization-logo', ownerId: 'u' })
    await store.deleteOfOwner(tx, { kind: 'organization-logo', ownerId: 'u' })
  })
  note('deleteUnused', await db.knex('image').orderBy('id').pluck('id'))
  await sweep('unusedSince', images.unusedSince(later))
  await sweep('unusedSince', images.unusedSince(new Date(later.getTime() + 1)))
  note('unusedSince', await db.knex('image').orderBy('id').pluck('id'))
})
