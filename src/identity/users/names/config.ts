import { z } from 'zod'
import { longestName } from './rules.ts'

/** Its keys of the section `accounts`. */
export const userNameSettings = {
  userNames: z
    .strictObject({
      mode: z
        .enum(['off', 'optional', 'required'])
        .default('off')
        .describe(
          'Users may have a name to sign in with besides their address; `required`: asked of who signs up with a password, and never given up. See [user-names.md](../how-to/user-names.md).',
        ),
      minLength: z.int().min(1).max(longestName).default(3).describe('Least length of a name in characters.'),
      maxLength: z
        .int()
        .min(1)
        .max(longestName)
        .default(longestName)
        .describe('Greatest length of a name in characters. Nobody signs in with a shorter or longer name than these two allow.'),
      changeableBy: z
        .enum(['user', 'operator'])
        .default('user')
        .describe('Who changes a name that is chosen. `operator`: users choose theirs once.'),
      reserved: z
        .array(z.string().min(1).max(100))
        .default([])
        .describe('Names that nobody may take, besides those such as `admin` and `support`.'),
    })
    .refine(({ minLength, maxLength }) => minLength <= maxLength, 'minLength is greater than maxLength')
    .prefault({}),
}
export type UserNamesConfig = z.output<typeof userNameSettings.userNames>
