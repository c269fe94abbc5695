import type { Principal } from '../../access/principal.ts'
import { sha256 } from '../../core/crypto.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import { networkOf } from '../../core/network.ts'
import { deviceOf } from './rules.ts'
import * as store from './store.ts'

/**
 * The browsers and programs in which a user has signed in. A browser is recognized by its cookie. A client without cookies is recognized
 * by its name and network.
 */
export interface Devices {
  /** True if the user has signed in to the account in the browser with this signed cookie. */
  isKnown(db: Db, userId: string, deviceId: string | undefined): Promise<boolean>
  /**
   * The hash under which a browser is stored, for a statement that reads other rows too. Without a browser, a text that equals no stored
   * hash.
   */
  keyOf(deviceId: string | undefined): string
  /** Stores that the user has signed in with this device. Returns true if the user has signed in before, but never with this device. */
  remember(tx: Tx, userId: string, principal: Principal, now: Date): Promise<boolean>
  forget(tx: Tx, userId: string): Promise<void>
}

/** The largest number of devices of a user. Without a limit, a program without cookies might add a device at each sign-in. */
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
