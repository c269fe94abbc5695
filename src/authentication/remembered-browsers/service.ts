import type { Principal, UserPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Tx } from '../../core/db/database.ts'
import type { RequestContext } from '../../core/request-context.ts'
import { type Retention, retentionOfRows } from '../../core/retention.ts'
import type { RememberedBrowsers as Remembered } from '../../core/second-factors.ts'
import { daySeconds } from '../../core/time.ts'
import type { Sessions } from '../sessions/index.ts'
import { rememberedBrowserErrors, rememberedBrowserEvents } from './contract.ts'
import * as store from './store.ts'

/** A remembered browser as its user sees it. */
export interface RememberedBrowser {
  readonly id: string
  /** The readable name of the browser, such as "Firefox on Linux". */
  readonly device: string
  readonly userAgent: string
  readonly ipAddress: string
  readonly createdAt: Date
  readonly lastUsedAt: Date
  readonly expiresAt: Date
  /** True for the browser that makes this call. */
  readonly current: boolean
}

/**
 * Browsers in which a user has given a second factor and has chosen not to give it again for a while. A signed cookie identifies the
 * browser. A remembered browser does not raise `acr`, and does not make a session fresh.
 */
export interface RememberedBrowsers extends Remembered {
  /** False if `secondFactor.rememberDays` is 0. */
  readonly isEnabled: boolean
  /** Remembers the caller's browser, in which the user has just given a second factor. Does nothing if the caller is not a browser. */
  remember(tx: Tx, principal: Principal, userId: string): Promise<void>
  /** The remembered browsers of the caller. The browser that was used last comes first. */
  list(principal: UserPrincipal): Promise<readonly RememberedBrowser[]>
  /** Forgets one remembered browser of the caller. Throws REMEMBERED_BROWSER_NOT_FOUND, also if it belongs to another user. */
  revoke(principal: UserPrincipal, id: string): Promise<void>
  readonly retention: Retention
}

/** The largest number of remembered browsers of a user. Without a limit, a program without cookies would add a browser at each sign-in. */
const mostKept = 50

const noBrowser = 'none'

/** The hash contains the user's id. If the table leaks, it therefore does not show which users share a browser. */
const hashOf = (userId: string, deviceId: string) => sha256(`remembered:${userId}:${deviceId}`)

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'events'> {
  readonly sessions: Pick<Sessions, 'deviceOf'>
  readonly rememberDays: number
}

export const createRememberedBrowsers = (deps: Deps): RememberedBrowsers => {
  const { db, transact, clock, random, events, sessions, rememberDays } = deps
  const lifeSeconds = rememberDays * daySeconds
  const deviceIdOf = ({ deviceId }: RequestContext) => deviceId?.()
  // If the configured time becomes shorter, the new time also applies to browsers that are remembered already.
  const since = () => clock.after(-lifeSeconds)
  const isEnabled = rememberDays > 0
  return {
    isEnabled,
    remember: async (tx, principal, userId) => {
      const deviceId = deviceIdOf(principal)
      if (!isEnabled || deviceId === undefined) return
      const now = clock.now()
      const { address, userAgent } = principal
      const expiresAt = clock.after(lifeSeconds)
      const id = random.id()
      const browserHash = hashOf(userId, deviceId)
      await store.saveBrowser(tx, { id, userId, browserHash, address, userAgent, createdAt: now, lastUsedAt: now, expiresAt })
      await store.deleteBrowsersBeyond(tx, userId, mostKept)
      await events.record(tx, principal, rememberedBrowserEvents['second_factor.browser_remembered'], {
        subject: userId,
        data: { browserId: id, device: sessions.deviceOf(userAgent), until: expiresAt.toISOString() },
      })
    },
    isRemembered: async (reader, userId, deviceId) => {
      if (!isEnabled) return false
      const hash = deviceId === undefined ? noBrowser : hashOf(userId, deviceId)
      return (await store.findBrowser(reader, userId, hash, since(), clock.now())) !== undefined
    },
    use: async (tx, principal, userId) => {
      const deviceId = deviceIdOf(principal)
      if (deviceId === undefined) return
      const { address, userAgent } = principal
      await store.touchBrowser(tx, userId, hashOf(userId, deviceId), { address, userAgent, lastUsedAt: clock.now() })
    },
    list: async (principal) => {
      const userId = principal.user.id
      const deviceId = deviceIdOf(principal)
      const current = deviceId && hashOf(userId, deviceId)
      const rows = isEnabled ? await store.listBrowsers(db, userId, since(), clock.now()) : []
      return rows.map(({ userId: _, browserHash, address, ...row }) => ({
        ...row,
        ipAddress: address,
        device: sessions.deviceOf(row.userAgent),
        current: browserHash === current,
      }))
    },
    count: async (reader, userId) => (isEnabled ? (await store.listBrowsers(reader, userId, since(), clock.now())).length : 0),
    revoke: (principal, id) =>
      transact(async (tx) => {
        const userId = principal.user.id
        if (!(await store.deleteBrowser(tx, userId, id))) throw rememberedBrowserErrors.error('REMEMBERED_BROWSER_NOT_FOUND')
        await events.record(tx, principal, rememberedBrowserEvents['second_factor.browser_forgotten'], {
          subject: userId,
          data: { browserId: id },
        })
      }),
    forgetAll: async (tx, actor, userId) => {
      const browsers = await store.deleteBrowsers(tx, userId)
      if (browsers === 0) return
      const data = { browsers }
      await events.record(tx, actor, rememberedBrowserEvents['second_factor.browsers_forgotten'], { subject: userId, data })
    },
    retention: retentionOfRows({ db, transact }, 'remembered browsers', 'that have expired', () =>
      store.expiredBrowsers(clock.now()),
    ),
  }
}
