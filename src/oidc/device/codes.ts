import type { Core } from '../../core/core.ts'
import { hmacSha256 } from '../../core/crypto.ts'
import type { Actor } from '../../core/events/record.ts'
import { withQuery } from '../../core/web.ts'
import type { ArtifactRow } from '../artifacts/store.ts'
import { oidcEvents } from '../events.ts'
import * as store from './store.ts'

/** The path at which the browser continues after the person has confirmed a device. The library continues interactions at paths below it. */
export const devicePath = '/oauth2/device/continue'

/** The URL of the hosted page for device codes. The query has a device code, or the outcome of a decision. */
export const devicePage = (query: Readonly<Record<string, string>>): string => withQuery('/device', query)

/**
 * The form of a user code (RFC 8628, section 6.1). It has no vowels, so that no code is a word, and no letters that look alike. There are
 * 2.6 × 10^10 codes.
 */
export const userCodeForm = { charset: 'base-20', mask: '****-****' } as const

/** Reads the letters of a user code, whatever separators and letter case were typed. Undefined for invalid input. */
export const readUserCode = (typed: string): string | undefined => {
  const letters = typed.toUpperCase().replace(/[\s\u2010-\u2015._-]/g, '')
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(letters) ? letters : undefined
}

/** The user code as devices show it. */
export const showUserCode = (letters: string): string => `${letters.slice(0, 4)}-${letters.slice(4)}`

/** Seconds that a device has to wait between two polls (RFC 8628, section 3.2), and the seconds by which it may poll too early. */
export const pollSeconds = 5
const earlySeconds = 1

type Decision = Pick<ArtifactRow, 'payload'> & Partial<Pick<ArtifactRow, 'accountId' | 'sessionId' | 'grantId'>>

/** A change that the library makes to a device code. */
export type DeviceChange =
  | { readonly kind: 'made'; readonly artifact: ArtifactRow; readonly userCode: string }
  | {
      readonly kind: 'decided'
      readonly id: string
      readonly isApproved: boolean
      readonly clientId: string
      readonly decision: Decision
    }

/** Device codes. A person types the user code that a device shows, and decides once about the device's request. */
export interface DeviceCodes {
  /** The id of a device code by the letters that a person typed; undefined if there is no such code. */
  find(letters: string): Promise<string | undefined>
  /** Stores a new device code, or a decision about a device code. Returns false if somebody has decided about that code before. */
  store(actor: Actor, change: DeviceChange): Promise<boolean>
  /** Notes that a device has polled with this device code. Returns false if it polled too early. */
  notePoll(id: string): Promise<boolean>
}

type Deps = Pick<Core, 'db' | 'transact' | 'clock' | 'secrets' | 'events'> & { readonly ttlSeconds: number }

export const createDeviceCodes = ({ db, transact, clock, secrets, events, ttlSeconds }: Deps): DeviceCodes => ({
  find: async (letters) => {
    const signatures = secrets.verifyingKeys('device-codes', ttlSeconds).map((key) => hmacSha256(key)(letters))
    return (await store.findDeviceCode(db, signatures))?.id
  },
  store: (actor, change) =>
    transact(async (tx) => {
      if (change.kind === 'made') {
        await store.insertDeviceCode(tx, change.artifact, secrets.sign('device-codes', change.userCode))
        return true
      }
      if (!(await store.decideDeviceCode(tx, change.id, clock.now()))) return false
      await store.storeDecision(tx, change.id, change.decision)
      const type = oidcEvents[change.isApproved ? 'device.approved' : 'device.refused']
      const subject = change.decision.accountId ?? actor.user?.id ?? 'unknown'
      await events.record(tx, actor, type, { subject, data: { clientId: change.clientId } })
      return true
    }),
  notePoll: (id) => transact((tx) => store.notePoll(tx, id, clock.now(), clock.after(earlySeconds - pollSeconds))),
})
