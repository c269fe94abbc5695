import { z } from 'zod'
import { type Locale, locales } from '../../core/locale.ts'
import { plainText } from '../../core/wire.ts'
import { schemaOf } from './rules.ts'

/**
 * Names that configured fields cannot have. They already mean something in answers, in bodies of the account API or in plugins of Better
 * Auth, or every JavaScript object has a member with the name.
 */
const reservedNames = new Set([
  ...[
    'id',
    'name',
    'email',
    'emailVerified',
    'image',
    'role',
    'language',
    'twoFactorEnabled',
    'createdAt',
    'updatedAt',
    'fields',
  ],
  ...['emailVersion', 'emailEverVerified', 'password', 'callbackURL', 'errorCallbackURL', 'newUserCallbackURL', 'redirectTo'],
  ...['rememberMe', 'token', 'newEmail', 'invitationId', 'interaction', 'fetchOptions', 'query', 'username', 'displayUsername'],
  ...['banned', 'banReason', 'banExpires', 'secondFactor', 'phoneNumber', 'phoneNumberVerified', 'isAnonymous'],
  ...['lastLoginMethod', 'stripeCustomerId', ...Object.getOwnPropertyNames(Object.prototype)],
])

const mostFields = 30

const name = z
  .string()
  .regex(/^[a-z][A-Za-z0-9]{0,63}$/, 'a name of letters and digits that begins with a small letter')
  .refine((text) => !reservedNames.has(text), 'a name that is not taken: this one means something else already')

const label = plainText(100, 1)

const field = z
  .strictObject({
    type: z.enum(['string', 'number', 'boolean', 'date']),
    values: z.array(plainText(200, 1)).min(1).max(100).optional(),
    maxLength: z.int().min(1).max(2000).optional(),
    required: z.boolean().default(false),
    default: z.union([z.string(), z.number(), z.boolean()]).optional(),
    writableBy: z.enum(['user', 'operator']).default('user'),
    returned: z.boolean().default(true),
    label: z.union([label, z.partialRecord(z.enum(locales as [Locale, ...Locale[]]), label)]).optional(),
  })
  .superRefine((one, context) => {
    const refuse = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message })
    for (const key of ['values', 'maxLength'] as const)
      if (one.type !== 'string' && one[key] !== undefined) refuse(key, 'belongs to fields of type string')
    if (one.required && one.writableBy === 'operator') refuse('required', 'asks users for a field that only operators set')
    const problem = one.default === undefined ? undefined : schemaOf(one).safeParse(one.default).error?.issues[0]?.message
    if (problem !== undefined) refuse('default', `does not fit the field: ${problem}`)
  })

/** A field that the configuration adds to users. */
export type FieldConfig = z.output<typeof field>

export const usersConfig = z
  .strictObject({
    fields: z
      .record(name, field)
      .refine((fields) => Object.keys(fields).length <= mostFields, `at most ${mostFields} fields`)
      .default({})
      .describe(
        'Extra fields of users, by name: `type` (`string`, `number`, `boolean` or `date`), `values` (the only ones of a string), `maxLength` ' +
          '(characters, 200 when not set, at most 2000), `required` (asked at sign-up, never emptied), `default`, `writableBy` (`user`, or ' +
          '`operator`: the command line alone), `returned` (in answers with a user; true when not set), `label` (on the pages: a text, or ' +
          'texts by language). See [user-fields.md](../how-to/user-fields.md).',
      ),
  })
  .prefault({})
export type UsersConfig = z.output<typeof usersConfig>
