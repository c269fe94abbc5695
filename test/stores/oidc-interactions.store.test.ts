import * as interactions from '../../src/oidc/interactions/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const time = (ms: number) => new Date(at.getTime() + ms)
const consent = (id: string, changes: Partial<interactions.ConsentRow> = {}): interactions.ConsentRow => ({
  ...{ id, clientId: 'c', userId: 'u', scopes: 'openid', consentGiven: true, createdAt: at, updatedAt: at, lastUsedAt: null },
  ...{ notBefore: null, organizations: null },
  ...changes,
})
const all = { userId: undefined, clientId: undefined }
const page = { sort: 'updatedAt', order: 'desc', limit: 2, after: undefined } as const

compareStore('oidc/interactions/store', interactions, async ({ store, db, transact, seed, insert, own }) => {
  await seed('user', 'oauth_client')
  for (const id of ['v', 'w']) await insert('user', { id, email: `${id}@example.com` })
  for (const id of ['d', 'e']) await insert('oauth_client', { id, client_id: id })
  await store.hasConsents(db)
  await transact(async (tx) => {
    await store.lockConsent(tx, 'u', 'c')
    await store.saveConsent(tx, consent('1'))
    // The first id, time and use are kept.
    await store.saveConsent(tx, consent('2', { scopes: 'openid email', createdAt: time(1), updatedAt: time(1), lastUsedAt: at }))
    await store.saveConsent(tx, consent('3', { clientId: 'd', updatedAt: time(2), lastUsedAt: time(5), organizations: ['o'] }))
    await store.saveConsent(tx, consent('4', { clientId: 'e', consentGiven: false, updatedAt: time(3) }))
    await store.saveConsent(tx, consent('5', { userId: 'v', updatedAt: time(2) }))
  })
  await store.findConsent(db, 'u', 'c')
  await store.findConsent(db, 'v', 'd')
  await store.findConsentById(db, '3')
  await store.findConsentById(db, '2')
  const { rows: first } = await store.pageOfConsents(db, all, { ...page, isCounted: true })
  await store.pageOfConsents(db, all, { ...page, order: 'asc', limit: 10 })
  const last = { value: time(2).getTime(), id: first.at(-1)?.id ?? '' }
  await store.pageOfConsents(db, all, { ...page, after: last })
  await store.pageOfConsents(db, all, { ...page, order: 'asc', after: last })
  await store.pageOfConsents(db, { ...all, userId: 'u' }, page)
  await store.pageOfConsents(db, { ...all, clientId: 'c' }, page)
  await store.pageOfConsents(db, { userId: 'u', clientId: 'e' }, page)
  await store.listConsents(db, 'u', 10)
  await store.listConsents(db, 'u', 1)
  await store.hasConsents(db)
  await store.countConsents(db, 'c', 10)
  await store.countConsents(db, 'c', 1)
  await store.countConsents(db, 'e', 10)
  await own('ownConsents', interactions.ownConsents, { id: 'u', verifiedEmail: undefined })
  await transact(async (tx) => {
    for (const ms of [3, 2, 4]) await store.noteUse(tx, { userId: 'u', clientId: 'c' }, time(ms))
    await store.noteUse(tx, { userId: 'u', clientId: 'd' }, time(4))
  })
  await store.listConsents(db, 'u', 10)
  await transact(async (tx) => {
    await store.narrowConsent(tx, { userId: 'u', clientId: 'c' }, { organizations: ['o'], notBefore: time(5) })
    await store.narrowConsent(tx, { userId: 'u', clientId: 'unknown' }, { organizations: [], notBefore: time(5) })
    await store.endConsent(tx, 'u', 'c', time(6))
    await store.endConsent(tx, 'u', 'c', time(7))
    await store.endConsent(tx, 'u', 'e', time(6))
    await store.noteEnd(tx, { id: '6', userId: 'w', clientId: 'c' }, time(6))
    await store.noteEnd(tx, { id: '7', userId: 'u', clientId: 'e' }, time(8))
  })
  await store.findConsent(db, 'u', 'c')
  await store.findConsent(db, 'w', 'c')
  await store.findConsent(db, 'u', 'e')
  await transact(async (tx) => {
    for (const clientId of ['c', 'd', 'none']) await store.endConsents(tx, clientId, time(7))
  })
  await store.pageOfConsents(db, all, { ...page, limit: 10 })
  await transact(async (tx) => {
    await store.saveConsent(tx, consent('6', { updatedAt: time(8), notBefore: time(8) }))
    await store.deleteConsents(tx, 'u')
    await store.deleteConsents(tx, 'w')
  })
  await store.pageOfConsents(db, all, page)
  const payload = {
    ...{ prompt: { name: 'step_up', details: { acr: 'mfa' }, reasons: [] }, params: { client_id: 'c' }, accountId: null },
    ...{ started: { at: 1, sessionId: null }, returnTo: '/', cid: 'x' },
  }
  await store.interactionIn({ payload })
  for (const wrong of [{ prompt: { name: 'logout' } }, { params: [] }, { accountId: 1 }, { started: {} }, { addedScopes: 'x' }])
    await Promise.resolve(store.interactionIn({ payload: { ...payload, ...wrong } })).catch(() => undefined)
})
