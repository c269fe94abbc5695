import * as keys from '../../src/api-keys/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)
const page = { order: 'asc', limit: 2, after: undefined } as const

compareStore(
  'api-keys/store',
  keys,
  async ({ store, db, transact, seed, insert }) => {
    await seed('organization')
    const banned = { banned_at: at, ban_expires_at: later, fields: '{"team":"Blue"}', language: 2, second_factor_since: at }
    await insert('user', { name: 'Ünal %_', username: 'unal', display_username: 'Unal', image: 'https://a.example/b', ...banned })
    const key = (id: string, changes: Partial<keys.KeyRow> = {}): keys.KeyRow => ({
      ...{
        factors: 1,
        acr: null,
        id,
        ownerKind: 'user',
        userId: 'u',
        organizationId: null,
        name: 'Ключ 🔑',
        permissions: ['account:read'],
        createdBy: 'u',
      },
      ...{ allowedNetworks: ['10.0.0.0/8', '::1'], requestsPerMinute: 2_147_483_647, enabled: true, expiresAt: later },
      ...{ createdAt: at, updatedAt: at, ...changes },
    })
    const ofOrganization = { ownerKind: 'organization', userId: null, organizationId: 'o' } as const
    const ofInstance = { ownerKind: 'instance', userId: null, organizationId: null } as const
    const free = {
      permissions: [],
      allowedNetworks: [],
      requestsPerMinute: null,
      enabled: false,
      expiresAt: null,
      createdBy: null,
    }
    await transact(async (tx) => {
      await store.insertKey(tx, key('k1'))
      await store.insertKey(tx, key('k2', { ...ofOrganization, ...free, createdBy: 'u', createdAt: later }))
      await store.insertKey(tx, key('k3', { ...ofInstance, ...free, createdAt: later }))
      await store.insertKey(tx, key('k4', { createdAt: latest }))
      await store.insertSecret(tx, { hash: 'h1', keyId: 'k1', createdAt: at, createdBy: 'u', expiresAt: null, lastUsedAt: null })
      await store.insertSecret(tx, {
        hash: 'h2',
        keyId: 'k1',
        createdAt: later,
        createdBy: null,
        expiresAt: latest,
        lastUsedAt: later,
      })
      await store.insertSecret(tx, {
        hash: 'h3',
        keyId: 'k2',
        createdAt: latest,
        createdBy: 'u',
        expiresAt: null,
        lastUsedAt: null,
      })
    })
    await transact((tx) => store.insertKey(tx, key('k5', { userId: 'nobody' }))).catch(() => undefined)
    await transact((tx) =>
      store.insertSecret(tx, { hash: 'h1', keyId: 'k2', createdAt: at, createdBy: null, expiresAt: null, lastUsedAt: null }),
    ).catch(() => undefined)
    for (const hash of ['h1', 'h3', 'H1']) await store.findBySecret(db, hash)
    for (const id of ['k1', 'k2', 'none']) await store.findKey(db, id)
    await store.countKeys(db, { ownerKind: 'user', userId: 'u', organizationId: null })
    await store.countKeys(db, ofOrganization)
    await store.countKeys(db, ofInstance)
    await store.countKeys(db, { ...ofOrganization, organizationId: 'another' })
    await store.listOfUser(db, 'u')
    await store.listOfUser(db, 'another')
    await store.listGivenTo(db, 'u', latest, [])
    await store.listGivenTo(db, 'u', new Date(latest.getTime() + 1), ['k1', 'k2'])
    await store.listGivenTo(db, 'u', new Date(latest.getTime() + 1), [])
    await store.listGivenTo(db, 'another', at, ['k2'])

    await store.pageOfKeys(db, {}, page)
    await store.pageOfKeys(db, {}, { ...page, isCounted: true })
    await store.pageOfKeys(db, {}, { ...page, after: { value: later.getTime(), id: 'k2' } })
    await store.pageOfKeys(db, {}, { ...page, order: 'desc', after: { value: later.getTime(), id: 'k3' } })
    await store.pageOfKeys(db, { ownerKind: 'user', userId: 'u' }, page)
    await store.pageOfKeys(db, { organizationId: 'o' }, page)
    await store.pageOfKeys(db, { ownerKind: 'instance', userId: 'u' }, page)
    for (const search of ['ключ', 'люч', 'лю', '%', '🔑'])
      for (const filter of [{}, { userId: 'u' }, { ownerKind: 'instance' as const }])
        await store.pageOfKeys(db, { ...filter, search }, page)
    await store.listSecrets(db, ['k1', 'k2', 'none'])
    await store.listSecrets(db, [])
    await store.ownKeys.read(db, { id: 'u', verifiedEmail: undefined })

    await transact(async (tx) => {
      await store.updateKey(tx, key('k1', { ...free, name: '', updatedAt: later }))
      await store.updateKey(tx, key('none'))
      await store.updateKey(tx, key('k4', { factors: 2, acr: '2fa' }))
      await store.weakenKeys(tx, 'u')
      await store.weakenKeys(tx, 'another')
      await store.strengthenKeys(tx, 'u', ['1fa'])
      await store.strengthenKeys(tx, 'u', ['2fa', 'phr'])
      await store.strengthenKeys(tx, 'another', [])
      await store.endSecret(tx, 'h1', later)
      await store.endSecret(tx, 'none', later)
      await store.noteUse(tx, 'h1', at)
      await store.noteUse(tx, 'h2', at)
      await store.noteUse(tx, 'h2', latest)
      await store.noteUse(tx, 'none', at)
    })
    await store.findKey(db, 'k1')
    await store.listSecrets(db, ['k1'])
    await store.listKeyNames(db, ['k1', 'k2', 'unknown'])
    await store.endedSecrets(at)
    await store.endedSecrets(later)
    await transact(async (tx) => {
      await store.deleteSecret(tx, 'h2')
      await store.deleteSecret(tx, 'h2')
      await store.deleteKey(tx, 'k1')
      await store.deleteKey(tx, 'k1')
    })
  },
  { unordered: ['listOfUser', 'listKeyNames'] },
)
