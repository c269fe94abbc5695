import * as secrets from '../../src/secrets/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const [earlier, later] = [new Date(at.getTime() - 1), new Date(at.getTime() + 1)]
const column = {
  ...{ table: 'client_secret', column: 'secret', key: 'oauth_client_id', id: 'id' },
  contextOf: (key: string) => key,
}
const shortest = 20
const sealed = (secretId: string, rest: string) => `01${secretId}${rest.padEnd(shortest, '0')}`
const outdated = { shortest, newest: 'bbbbbbbb', after: undefined, limit: 10 }

compareStore(
  'secrets/store',
  secrets,
  async ({ store, db, transact, seed, insert }) => {
    await transact(async (tx) => {
      await store.insertUnknown(tx, ['bbbbbbbb', 'aaaaaaaa'], at)
      await store.noteRemoved(tx, ['aaaaaaaa', 'unknown'], later)
      await store.noteRemoved(tx, [], later)
      await store.noteSigning(tx, 'bbbbbbbb', earlier)
      await store.noteSigning(tx, 'bbbbbbbb', later)
    })
    await store.listSecrets(db)
    await transact(async (tx) => {
      await store.insertUnknown(tx, ['aaaaaaaa', 'cccccccc'], later)
    })
    await store.listSecrets(db)

    await seed('oauth_client')
    await insert('oauth_client', { id: 'd', client_id: 'd' })
    const secret = { slot: 1, created_at: at, oauth_client_id: 'c' }
    await insert('client_secret', { ...secret, id: '3', secret: sealed('aaaaaaaa', 'x') })
    await insert('client_secret', { ...secret, id: '1', slot: 2, secret: sealed('aaaaaaaa', 'y') })
    await insert('client_secret', { ...secret, id: '2', oauth_client_id: 'd', secret: sealed('bbbbbbbb', 'z') })
    // A hash, and a text that is too short for a sealed value.
    await insert('oauth_client', { id: 'e', client_id: 'e' })
    await insert('client_secret', { ...secret, id: '4', oauth_client_id: 'e', secret: 'f'.repeat(64) })
    await insert('client_secret', { ...secret, id: '5', oauth_client_id: 'e', slot: 2, secret: '01aaaaaaaa' })
    await store.countBySecret(db, column, shortest)
    await store.countBySecret(db, column, 1_000)
    await store.listOutdated(db, column, outdated)
    await store.listOutdated(db, column, { ...outdated, limit: 1 })
    await store.listOutdated(db, column, { ...outdated, after: '1' })
    await store.listOutdated(db, column, { ...outdated, newest: 'aaaaaaaa' })
    await transact(async (tx) => {
      await store.replaceSealed(tx, column, '1', sealed('aaaaaaaa', 'other'), sealed('bbbbbbbb', 'y'))
      await store.replaceSealed(tx, column, '1', sealed('aaaaaaaa', 'y'), sealed('bbbbbbbb', 'y'))
      await store.replaceSealed(tx, column, 'unknown', sealed('aaaaaaaa', 'y'), sealed('bbbbbbbb', 'y'))
    })
    await store.countBySecret(db, column, shortest)
  },
  { unordered: ['countBySecret'] },
)
