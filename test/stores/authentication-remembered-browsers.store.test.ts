import * as browsers from '../../src/authentication/remembered-browsers/store.ts'
import { at } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

const before = new Date(at.getTime() - 1000)
const later = new Date(at.getTime() + 1000)
const latest = new Date(at.getTime() + 2000)

compareStore('authentication/remembered-browsers/store', browsers, async ({ store, db, transact, seed, insert, compareRows }) => {
  await seed('user')
  await insert('user', { id: 'u2', email: 'u2@example.com' })
  const browser = (id: string, changes: Partial<browsers.BrowserRow> = {}): browsers.BrowserRow => ({
    ...{
      id,
      userId: 'u',
      browserHash: `of ${id}`,
      address: '10.0.0.1',
      userAgent: 'Größe/1.0 (%_)',
      createdAt: at,
      lastUsedAt: at,
    },
    ...{ expiresAt: later, ...changes },
  })
  await transact(async (tx) => {
    await store.saveBrowser(tx, browser('b1'))
    await store.saveBrowser(tx, browser('b2', { lastUsedAt: later, expiresAt: latest }))
    await store.saveBrowser(tx, browser('b3', { lastUsedAt: later, createdAt: later, expiresAt: latest }))
    await store.saveBrowser(tx, browser('b4', { userId: 'u2', browserHash: 'of b1' }))
    // The same browser of the same user a second time.
    await store.saveBrowser(tx, browser('b5', { browserHash: 'of b2', address: '::1', expiresAt: latest, lastUsedAt: later }))
  })
  await transact((tx) => store.saveBrowser(tx, browser('b6', { userId: 'nobody' }))).catch(() => undefined)
  await store.findBrowser(db, 'u', 'of b1', before, at)
  await store.findBrowser(db, 'u', 'of b1', at, at)
  await store.findBrowser(db, 'u', 'of b1', before, later)
  await store.findBrowser(db, 'u2', 'of b2', before, at)
  await store.listBrowsers(db, 'u', before, at)
  await store.listBrowsers(db, 'u', before, later)
  await store.listBrowsers(db, 'u', at, at)
  await store.listBrowsers(db, 'u', before, latest)
  await store.ownBrowsers.read(db, { id: 'u', verifiedEmail: undefined })
  await store.expiredBrowsers(at)
  await store.expiredBrowsers(later)
  await transact(async (tx) => {
    const seen = { address: '::2', userAgent: '', lastUsedAt: latest }
    await store.touchBrowser(tx, 'u', 'of b1', seen)
    await store.touchBrowser(tx, 'u', 'none', seen)
    await store.deleteBrowser(tx, 'u2', 'b3')
    await store.deleteBrowser(tx, 'u', 'b3')
    await store.deleteBrowsersBeyond(tx, 'u', 2)
    await store.deleteBrowsersBeyond(tx, 'u', 1)
  })
  await compareRows()
  await transact(async (tx) => {
    await store.deleteBrowsers(tx, 'u')
    await store.deleteBrowsers(tx, 'u')
  })
})
