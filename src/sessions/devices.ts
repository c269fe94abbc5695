import type { Caller } from '../core/caller.ts'
import { sha256 } from '../core/crypto.ts'
import type { Db, Tx } from '../core/database.ts'
import { networkOf } from '../core/network.ts'
import { deviceOf } from './rules.ts'
import * as store from './store.ts'

/** What a user has signed in with before: browsers by their cookie, and kinds of browser by network for clients that keep no cookie. */
export interface Devices {
  /** True when the browser itself, by its signed cookie, has signed in to this account before. */
  isKnown(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /** Notes a sign-in. True when the user has signed in before, but never with anything like this. */
  remember(tx: Tx, userId: string, caller: Caller, now: Date): Promise<boolean>
  forget(tx: Tx, userId: string): Promise<void>
}

/** Devices kept of one user: a program that keeps no cookie is a new one each time. */
const mostKnown = 500

const cookieKey = (deviceId: string) => sha256(`device:${deviceId}`)
const placeKey = ({ userAgent, address }: Caller) => sha256(`place:${deviceOf(userAgent)}:${networkOf(address)}`)

export const devices: Devices = {
  isKnown: async (db, userId, deviceId) =>
    (await store.countKnown(db, userId, deviceId === undefined ? [] : [cookieKey(deviceId)])) > 0,
  remember: async (tx, userId, caller, now) => {
    if (caller.kind === 'system') return false
    const deviceId = caller.deviceId?.()
    const keys = [...(deviceId === undefined ? [] : [cookieKey(deviceId)]), placeKey(caller)]
    const known = await store.countKnown(tx, userId, keys)
    const isNew = known === 0 && (await store.hasDevices(tx, userId))
    await store.rememberDevice(tx, userId, keys, now)
    if (known < keys.length) await store.deleteDevicesBeyond(tx, userId, mostKnown)
    return isNew
  },
  forget: async (tx, userId) => void (await store.deleteDevices(tx, userId)),
}
