import { z } from 'zod'

/** Its keys of the section `accounts`. */
export const deletionSettings = {
  deleteUserEnabled: z.boolean().default(true).describe('Users may delete their account.'),
  deleteUserVerification: z
    .boolean()
    .default(false)
    .describe('Deleting an account needs a mailed link, even with the right password.'),
  deleteUserNeedsPassword: z
    .boolean()
    .default(false)
    .describe('Users with a password must give it to delete the account: a fresh session is not enough.'),
}
export type DeletionConfig = z.output<z.ZodObject<typeof deletionSettings>>
