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

const cookieKey = (deviceId: string) => sha256(`device:${deviceId}`)
const placeKey = ({ userAgent, address }: Caller) => sha256(`place:${deviceOf(userAgent)}:${networkOf(address)}`)

export const devices: Devices = {
  isKnown: async (db, userId, deviceId) => store.knowsDevice(db, userId, deviceId === undefined ? [] : [cookieKey(deviceId)]),
  remember: async (tx, userId, caller, now) => {
    if (caller.kind === 'system') return false
    const deviceId = caller.deviceId?.()
    const keys = [...(deviceId === undefined ? [] : [cookieKey(deviceId)]), placeKey(caller)]
    const isNew = !(await store.knowsDevice(tx, userId, keys)) && (await store.hasDevices(tx, userId))
    await store.rememberDevice(tx, userId, keys, now)
    return isNew
  },
  forget: async (tx, userId) => void (await store.deleteDevices(tx, userId)),
}
