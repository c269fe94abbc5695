import { z } from 'zod'
import { longestName } from './rules.ts'

/** Settings in the section `accounts`. */
export const userNameSettings = {
  userNames: z
    .strictObject({
      mode: z
        .enum(['off', 'optional', 'required'])
        .default('off')
        .describe(
          'Users may sign in with a name besides their address; `required`: everybody who signs up with a password chooses a name, and nobody may remove it. See [user-names.md](../how-to/user-names.md).',
        )
        .meta({ weakened: 'never' }),
      minLength: z
        .int()
        .min(1)
        .max(longestName)
        .default(3)
        .describe('Least length of a name in characters.')
        .meta({ weakened: 'never' }),
      maxLength: z
        .int()
        .min(1)
        .max(longestName)
        .default(longestName)
        .describe('Greatest length of a name in characters. Names outside of these limits cannot sign in.')
        .meta({ weakened: 'never' }),
      changeableBy: z
        .enum(['user', 'operator'])
        .default('user')
        .describe('Whether users may change their name. `operator`: users choose a name once, and only an operator changes it.')
        .meta({ weakened: 'never' }),
      reserved: z
        .array(z.string().min(1).max(100))
        .default([])
        .describe('Further names that nobody may take, besides built-in ones such as `admin` and `support`.')
        .meta({ weakened: 'removed' }),
    })
    .refine(({ minLength, maxLength }) => minLength <= maxLength, 'minLength is greater than maxLength')
    .prefault({}),
}
export type UserNamesConfig = z.output<typeof userNameSettings.userNames>
