import type { z } from 'zod'
import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { networkOf } from '../../core/network.ts'
import type { Limits } from '../../limits/index.ts'
import { findArtifact } from '../artifacts/store.ts'
import { logoOf } from '../clients/application.ts'
import type { Clients } from '../clients/service.ts'
import { shownTo, standingOf } from '../clients/shown.ts'
import { oidcErrors } from '../contract.ts'
import { splitScope } from '../rules.ts'
import { type DeviceCodes, readUserCode, showUserCode } from './codes.ts'
import type { DeviceRequest } from './contract.ts'

/**
 * The numbers of user codes that one network, and all networks together, may try in ten minutes. These numbers are too small to guess one
 * of 10^10 codes.
 */
const [windowSeconds, mostOfNetwork, mostOfAll] = [600, 30, 3_000]

/** Requests of devices that wait for the decision of a person (RFC 8628). */
export interface Devices {
  /**
   * Shows the device whose user code a person typed. Throws DEVICE_CODE_NOT_FOUND for a code that is unknown, expired or decided. Throws
   * TOO_MANY_DEVICE_CODES after too many tries.
   */
  read(principal: Principal, typed: string): Promise<z.output<typeof DeviceRequest>>
  /** The id of the device code whose user code a person typed. Throws the errors of `read`. */
  find(principal: Principal, typed: string): Promise<string>
  /** Denies the request of the device. The device gets the error access_denied. Throws the errors of `read`. */
  refuse(principal: Principal, typed: string): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'clock' | 'url'> {
  readonly clients: Pick<Clients, 'find'>
  readonly limits: Limits
  readonly deviceCodes: DeviceCodes
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const fields = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

export const createDevices = ({ db, clock, url, clients, limits, deviceCodes }: Deps): Devices => {
  const countAttempt = async ({ address }: Principal) => {
    const seconds =
      (await limits.hit(`device-code:${networkOf(address)}`, mostOfNetwork, windowSeconds)) ||
      (await limits.hit('device-code', mostOfAll, windowSeconds))
    if (seconds > 0) throw oidcErrors.error('TOO_MANY_DEVICE_CODES', { retryAfterSeconds: seconds })
  }

  const open = async (principal: Principal, typed: string) => {
    await countAttempt(principal)
    const letters = readUserCode(typed)
    const id = letters === undefined ? undefined : await deviceCodes.find(letters)
    const artifact = id === undefined ? undefined : (await findArtifact(db, id))?.artifact
    const { exp, error } = artifact?.payload ?? {}
    const isOpen = artifact?.accountId === null && error === undefined && Number(exp) * 1000 > clock.now().getTime()
    const client = artifact?.clientId && isOpen ? await clients.find(artifact.clientId) : undefined
    if (artifact === undefined || client === undefined || client.disabled || letters === undefined)
      throw oidcErrors.error('DEVICE_CODE_NOT_FOUND')
    return { artifact, client, letters }
  }

  return {
    find: async (principal, typed) => (await open(principal, typed)).artifact.id,
    read: async (principal, typed) => {
      const { artifact, client, letters } = await open(principal, typed)
      const { params, deviceInfo, iat, exp } = artifact.payload
      const { scope, ui_locales: locales } = fields(params)
      const { address, userAgent } = fields(deviceInfo)
      const from = text(address)
      return {
        userCode: showUserCode(letters),
        client: {
          ...shownTo(principal, text(locales), client),
          ...{ clientId: client.clientId, logo: logoOf(client, url), standing: standingOf(client) },
        },
        scopes: splitScope(text(scope)),
        ...{ address: from, userAgent: text(userAgent) },
        isElsewhere: from !== '' && networkOf(from) !== networkOf(principal.address),
        requestedAt: new Date(Number(iat) * 1000),
        expiresAt: new Date(Number(exp) * 1000),
      }
    },
    refuse: async (principal, typed) => {
      const { artifact, client } = await open(principal, typed)
      const payload = { ...artifact.payload, error: 'access_denied', errorDescription: 'the End-User refused the device' }
      const change = {
        kind: 'decided',
        id: artifact.id,
        isApproved: false,
        clientId: client.clientId,
        decision: { payload },
      } as const
      if (!(await deviceCodes.store(principal, change))) throw oidcErrors.error('DEVICE_CODE_NOT_FOUND')
    },
  }
}
