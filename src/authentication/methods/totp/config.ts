import { z } from 'zod'
import { nameInput } from '../../../core/wire.ts'

export const totpConfig = z
  .strictObject({
    issuer: nameInput
      .max(64)
      .optional()
      .describe('What authenticator apps call this installation; the host of the public address when absent.'),
  })
  .prefault({})

export type TotpConfig = z.output<typeof totpConfig>
