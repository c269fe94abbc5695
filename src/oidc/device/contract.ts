import { z } from 'zod'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { Interaction } from '../contract.ts'

/** A user code as typed. Blanks, dashes and letter case make no difference. */
const userCode = plainText(64, 1)

/** A device's request for access, as it is shown to the person who decides. */
export const DeviceRequest = z.object({
  /** The code as the device shows it. */
  userCode: z.string(),
  client: Interaction.shape.client.omit({ redirectHost: true }),
  /** The requested scopes. */
  scopes: z.array(z.string()),
  /** The network address and the user agent of the device. An unknown one is empty. */
  address: z.string(),
  userAgent: z.string(),
  /** True if the person and the device are in different networks. */
  isElsewhere: z.boolean(),
  requestedAt: instant,
  expiresAt: instant,
})

const shared = {
  method: 'POST',
  access: 'public',
  body: z.object({ userCode }),
  errors: ['DEVICE_CODE_NOT_FOUND', 'TOO_MANY_DEVICE_CODES'],
  ownPages: true,
  limit: 'strict',
} as const

export const deviceContract = contract('Applications', {
  lookUpDevice: {
    ...shared,
    path: '/oauth2/device/request',
    summary: 'Get the program on a device that shows this code, for the person who is in front of the device',
    response: DeviceRequest,
  },
  confirmDevice: {
    ...shared,
    path: '/oauth2/device/confirm',
    summary:
      'Continue with a device; the browser goes on at `redirectURI`, where the person signs in and agrees as for any application',
    response: z.object({ redirectURI: z.string() }),
    startsSession: true,
  },
  refuseDevice: {
    ...shared,
    path: '/oauth2/device/refuse',
    summary: 'Deny a device; its program gets access_denied',
    response: z.object({ status: z.boolean() }),
  },
})
