import * as documents from '../../src/oidc/metadata-documents/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const document = (id: string, changes: Partial<documents.DocumentRow> = {}): documents.DocumentRow => ({
  ...{ id, digest: `digest ${id}`, problem: null, readAt: at, refreshAt: time(10), validUntil: time(20) },
  ...changes,
})

compareStore('oidc/metadata-documents/store', documents, async ({ store, db, transact, insert }) => {
  await insert('oauth_client', { id: 'c', client_id: 'https://ü.example/c' })
  await insert('oauth_client', { id: 'd', client_id: 'd' })
  await transact(async (tx) => {
    await store.insertDocument(tx, document('c'))
    await store.insertDocument(tx, document('d', { problem: 'ü' }))
  })
  await transact(async (tx) => {
    await store.claimRefresh(tx, 'c', time(9), time(30))
    await store.claimRefresh(tx, 'c', time(10), time(30))
    await store.claimRefresh(tx, 'c', time(10), time(30))
    await store.claimRefresh(tx, 'unknown', time(10), time(30))
    await store.noteProblem(tx, 'c', 'the server answered 500')
    await store.noteProblem(tx, 'unknown', 'x')
    await store.updateDocument(tx, document('d', { digest: 'other', readAt: time(1) }))
    await store.updateDocument(tx, document('unknown'))
  })
  for (const id of ['c', 'd', 'unknown']) await store.findDocument(db, id)
})
