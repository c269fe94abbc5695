import { expect } from 'vitest'
import * as clients from '../../src/oidc/clients/store.ts'
import { noFurther } from '../../src/oidc/metadata/contract.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const plain: clients.ClientRow['metadata'] = { ...noFurther, grantTypes: null }
const client = (id: string, name: string, changes: Partial<clients.ClientRow> = {}): clients.ClientRow => ({
  ...{ id, clientId: `client-${id}`, name, nameKey: name.toLowerCase(), icon: null, logoImage: null, logoSource: null },
  ...{ logoProblem: null, color: null, uri: null, policyUri: null, tosUri: null, metadata: plain, redirectUrls: [] },
  ...{ postLogoutRedirectUrls: [], webOrigins: [], type: 'web', scope: 'openid', idTokenAlg: 'RS256', pkce: null },
  ...{
    requireAcr: null,
    skipConsent: false,
    understandsAct: false,
    disabled: false,
    permissions: [],
    userId: null,
    createdAt: at,
    updatedAt: at,
  },
  ...{ unknownScopes: null, withoutPkceAt: null, registeredBy: 'administrator', registrantId: null, review: null },
  registrationToken: null,
  ...changes,
})
const full: Partial<clients.ClientRow> = {
  ...{ icon: 'https://example.com/a.png', logoImage: 'i', logoSource: 'https://example.com/a.png', color: '#aabbcc' },
  ...{
    uri: 'https://example.com/ü',
    policyUri: 'p',
    tosUri: 't',
    metadata: {
      ...plain,
      ...{
        translations: { de: { name: 'Größe' } },
        contacts: ['ü'],
        jwksUri: 'https://example.com/jwks',
        defaultMaxAge: 0,
        requireAuthTime: true,
        grantTypes: ['refresh_token'],
      },
    },
    ...{ registeredBy: 'person', registrantId: 'u', review: 'approved', registrationToken: 'hash' },
    redirectUrls: ['https://a', 'b'],
  },
  ...{
    pkce: 'required',
    requireAcr: '2fa',
    skipConsent: true,
    understandsAct: true,
    permissions: ['users:read'],
    userId: 'u',
    createdAt: time(1),
  },
  ...{ unknownScopes: 'ignore', withoutPkceAt: time(2) },
}
const secret = (id: string, slot: number, changes: Partial<clients.SecretRow> = {}): clients.SecretRow => ({
  ...{ id, oauthClientId: '1', slot, secret: `hash ${id}`, hint: null, createdAt: at, expiresAt: null, lastUsedAt: null },
  ...changes,
})
const any = { search: undefined, type: undefined, disabled: undefined }
const page = { sort: 'name', order: 'asc', limit: 10, after: undefined } as const

compareStore(
  'oidc/clients/store',
  clients,
  async ({ store, db, transact, seed, insert, own }) => {
    await seed('user')
    await transact(async (tx) => {
      await store.insertClient(tx, client('1', 'Über_100%', full))
      await store.insertClient(tx, client('2', 'ÜBER', { type: 'spa', disabled: true, icon: 'x', createdAt: time(2) }))
      await store.insertClient(tx, client('3', 'app', { type: 'machine', permissions: ['users:read', 'a:b'] }))
      await store.insertClient(tx, client('4', 'App', { type: 'machine', disabled: true, logoProblem: 'gone', icon: 'y' }))
      await store.insertClient(tx, client('5', 'zebra', { type: 'native', icon: 'z', logoSource: 'Z', logoProblem: 'old' }))
    })
    await expect(transact((tx) => store.insertClient(tx, client('1', 'again')))).rejects.toThrow()
    for (const id of ['client-1', 'client-3', 'Client-3']) await store.findClient(db, id)
    for (const forPeople of [false, true]) await store.findNewestClientId(db, forPeople)

    const filters = [
      { search: 'ü' },
      { search: 'ÜBER' },
      { search: 'AP' },
      { search: 'über_' },
      { search: 'ber' },
      { search: 'ebr', disabled: false },
      { search: '%' },
      { search: '' },
      ...([{ type: 'machine' }, { disabled: true }, { disabled: false }, { type: 'machine', disabled: true }] as const),
      ...([
        { type: 'machine', disabled: false },
        { type: 'spa', disabled: false },
        { search: 'a', disabled: false },
      ] as const),
      {},
    ]
    for (const filter of filters) {
      for (const sort of ['name', 'createdAt'] as const) {
        await store.totalOfClients(db, { ...any, ...filter })
        await store.pageOfClients(db, { ...any, ...filter }, { ...page, sort })
        const { found } = await store.pageOfClients(db, { ...any, ...filter }, { ...page, sort, order: 'desc', limit: 2 })
        await store.pageOfClients(db, { ...any, ...filter }, { ...page, sort, order: 'desc', after: found.at(-1)?.position })
        await store.pageOfClients(db, { ...any, ...filter }, { ...page, sort, after: found[0]?.position })
      }
    }
    await store.findNames(db, [])
    await store.findNames(db, ['client-1', 'client-3', 'client-1', 'unknown'])
    await store.listShown(db, [])
    await store.listShown(db, ['client-1', 'client-2', 'unknown'])
    await transact(async (tx) => {
      await store.noteWithoutPkce(tx, 'client-3', time(9))
      await store.noteWithoutPkce(tx, 'client-3', time(8))
      await store.noteWithoutPkce(tx, 'unknown', time(9))
    })
    await store.listWithoutPkce(db, at, 10)
    await store.listWithoutPkce(db, at, 1)
    await store.listWithoutPkce(db, time(10), 10)
    await store.listWithKeysElsewhere(db, 10)
    await store.listUnfetched(db, 10)
    await store.listUnfetched(db, 1)
    await store.listUnfetched(db, ['client-5', 'client-1'])
    await store.listUnfetched(db, [])
    await own('ownApplications', clients.ownApplications, { id: 'u', verifiedEmail: undefined })

    await transact(async (tx) => {
      await store.lockClient(tx, 'client-2')
      await store.lockClient(tx, 'unknown')
      const { metadata, ...row } = client('2', 'Ümlaut', { ...full, updatedAt: time(9) })
      const change = { ...row, ...metadata, disabled: false }
      const lists = { redirectUris: ['https://c'], postLogoutRedirectUris: ['https://d'], scopes: ['openid', 'email'] }
      await store.updateClient(tx, { id: '2', metadata }, { ...change, ...lists })
      await store.updateClient(tx, { id: 'unknown', metadata }, { ...change, ...lists })
      await store.setRegistrationToken(tx, '2', 'another hash')
      await store.setRegistrationToken(tx, 'unknown', null)
      await store.updateLogo(tx, '4', { icon: null, logoImage: 'i', logoProblem: null, updatedAt: time(9) })
      await store.updateLogo(tx, 'unknown', { updatedAt: time(9) })
    })
    for (const id of ['client-2', 'client-4']) await store.findClient(db, id)

    await transact(async (tx) => {
      await store.insertSecret(tx, secret('b', 1, { createdAt: time(1), hint: 'abcd', expiresAt: time(10), lastUsedAt: time(2) }))
      await store.insertSecret(tx, secret('a', 2))
      await store.insertSecret(tx, secret('c', 1, { oauthClientId: '2', expiresAt: time(5), lastUsedAt: time(3) }))
      await store.insertSecret(tx, secret('d', 2, { oauthClientId: '2', expiresAt: time(20), lastUsedAt: time(3) }))
    })
    await expect(transact((tx) => store.insertSecret(tx, secret('e', 1)))).rejects.toThrow()
    await store.listSecrets(db, '1')
    const ending = { now: time(4), until: time(10), usedSince: time(1), limit: 10 }
    for (const change of [{}, { limit: 1 }, { now: time(5) }, { until: time(9) }, { usedSince: time(2) }, { usedSince: time(3) }])
      await store.listEndingSecrets(db, { ...ending, ...change })
    await transact(async (tx) => {
      for (const ms of [2, 1, 3]) await store.noteUse(tx, 'a', time(ms))
      await store.noteUse(tx, 'b', time(1))
      await store.replaceSecret(tx, 'a', 'sealed anew')
      await store.replaceSecret(tx, 'unknown', 'sealed anew')
      await store.endSecret(tx, 'a', time(6))
      await store.endSecret(tx, 'unknown', time(6))
    })
    await store.listSecrets(db, '1')

    await transact(async (tx) => {
      for (const id of ['6', '7', '8', '9']) await store.insertClient(tx, client(id, id, { registeredBy: 'anonymous' }))
      await store.insertClient(tx, client('10', 'later', { registeredBy: 'anonymous', createdAt: time(5), icon: 'x' }))
      await store.insertClient(tx, client('11', 'seen', { registeredBy: 'anonymous', review: 'restricted' }))
    })
    const consent = { user_id: 'u', scopes: '', consent_given: false, created_at: at, updated_at: at }
    await insert('oauth_consent', { ...consent, id: 'consent', client_id: 'client-7' })
    for (const before of [at, time(1), time(6)]) {
      await store.listUnused(db, before, 10)
      await store.listUnused(db, before, 1)
      await store.countUnused(db, before)
      for (const id of ['1', '6', '7', '10', '11']) await transact((tx) => store.isUnused(tx, id, before))
    }
    for (const upTo of [0, 2, 100]) await transact((tx) => store.countUnreviewed(tx, upTo))
    await store.listUnfetched(db, 10)

    const token = { kind: 'ClientCredentials', client_id: 'client-3', payload: '{}', expires_at: time(7) }
    await insert('oidc_artifact', { ...token, id: 'token' })
    await insert('oidc_artifact', { ...token, id: 'consumed', consumed_at: at })
    await insert('oidc_artifact', { ...token, id: 'of a person', account_id: 'u' })
    await insert('oidc_artifact', { ...token, id: 'of a disabled one', client_id: 'client-4' })
    await insert('oidc_artifact', { ...token, id: 'of no machine', client_id: 'client-1' })
    for (const id of ['token', 'consumed', 'of a person', 'of a disabled one', 'of no machine'])
      await store.findMachineToken(db, id)

    await transact(async (tx) => {
      await store.deleteSecret(tx, '2', 'a')
      await store.deleteSecret(tx, '1', 'a')
      await store.deleteSecret(tx, '1', 'a')
      await store.deleteSecrets(tx, '1')
      await store.deleteSecrets(tx, '1')
      await store.deleteClient(tx, '1')
      await store.deleteClient(tx, '1')
    })
    await store.listSecrets(db, '1')
    await store.pageOfClients(db, any, page)
  },
  { uncalled: ['contextOf'], unordered: ['listShown'] },
)
