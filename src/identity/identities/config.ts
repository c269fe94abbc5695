import { z } from 'zod'

/** Its keys of the section `accounts`. */
export const identitySettings = {
  unlinkingAllAllowed: z.boolean().default(false).describe('Users may remove their last sign-in method.'),
}
