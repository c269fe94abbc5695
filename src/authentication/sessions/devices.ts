import type { Principal } from '../../access/principal.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import { networkOf } from '../../core/network.ts'
import { deviceOf } from './rules.ts'
import * as store from './store.ts'

/** Browsers and programs of a user's sign-ins: browsers by their cookie, clients without cookies by name and network. */
export interface Devices {
  /** True when the browser itself, by its signed cookie, has signed in to this account before. */
  isKnown(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /** The key of a known browser, for a combined read; without a browser, a key that matches none. */
  keyOf(deviceId: string | undefined): string
  /** Records a sign-in. True if the user has signed in before, but never with this device. */
  remember(tx: Tx, userId: string, principal: Principal, now: Date): Promise<boolean>
  forget(tx: Tx, userId: string): Promise<void>
}

/** Largest number of devices for a user: a program without cookies counts as a new one each time. */
const mostKnown = 500

const cookieKey = (deviceId: string) => sha256(`device:${deviceId}`)
const keyOf = (deviceId: string | undefined) => (deviceId === undefined ? 'none' : cookieKey(deviceId))
const clientKey = ({ userAgent, address }: Principal) => sha256(`place:${deviceOf(userAgent)}:${networkOf(address)}`)

export const devices: Devices = {
  isKnown: async (db, userId, deviceId) => store.isKnown(db, userId, keyOf(deviceId)),
  keyOf,
  remember: async (tx, userId, principal, now) => {
    if (principal.kind === 'system') return false
    const deviceId = principal.deviceId?.()
    const keys = [...(deviceId === undefined ? [] : [cookieKey(deviceId)]), clientKey(principal)]
    const { all, known } = await store.countDevices(tx, userId, keys)
    await store.rememberDevice(tx, userId, keys, now)
    if (all - known + keys.length > mostKnown) await store.deleteDevicesBeyond(tx, userId, mostKnown)
    return all > 0 && known === 0
  },
  forget: async (tx, userId) => void (await store.deleteDevices(tx, userId)),
}
