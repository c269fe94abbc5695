import { bind, documented } from '../../http/handlers.ts'
import type { ConfirmedDevices } from '../routes/confirmed-devices.ts'
import { deviceContract } from './contract.ts'
import type { Devices } from './service.ts'

interface Deps {
  readonly devices: Devices
  readonly confirmedDevices: Pick<ConfirmedDevices, 'write'>
  readonly url: string
}

/** The endpoints of the page on which a person confirms a device. */
export const deviceRoutes = ({ devices, confirmedDevices, url }: Deps) =>
  bind(documented(deviceContract, {}), {
    lookUpDevice: (principal, { body }) => devices.read(principal, body.userCode),
    confirmDevice: async (principal, { body, headers, cookies }) => {
      const id = await devices.find(principal, body.userCode)
      return { redirectURI: url + confirmedDevices.write(id, cookies, headers.cookie) }
    },
    refuseDevice: async (principal, { body }) => {
      await devices.refuse(principal, body.userCode)
      return { status: true }
    },
  })
