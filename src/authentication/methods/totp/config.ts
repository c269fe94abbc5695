import { z } from 'zod'
import { nameInput } from '../../../core/wire.ts'

export const totpConfig = z
  .strictObject({
    issuer: nameInput
      .max(64)
      .optional()
      .describe(
        'What authenticator apps call this installation; when absent brand.name, or the host of the public address where there is none.',
      ),
  })
  .prefault({})

export type TotpConfig = z.output<typeof totpConfig>
