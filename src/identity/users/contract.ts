import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { defineEvents } from '../../core/events/types.ts'
import { languageCodes } from '../../core/locale.ts'
import { counted, sortedPage } from '../../core/page.ts'
import { resourceTag } from '../../core/resource-tag.ts'
import { instant, plainText } from '../../core/wire.ts'

/** A language, given by the number that the accounts specification defines. */
export const Language = z.literal(Object.values(languageCodes))

/** The value of a configured field. A date is text in ISO 8601. */
export const FieldValue = z.union([z.string(), z.number(), z.boolean(), z.null()])

/** Where configured fields and user names are added to a schema: to a user in answers, or to the body of one of these calls. */
export type UserShape = 'shown' | 'sign-up' | 'change' | 'operator'
/** The schemas to which they are added in the API document of an instance (`api-schemas.ts`). */
export const userShapes = z.registry<{ readonly shape: UserShape }>()

/** The fields that every user has. The times are missing here, because they are text on the wire. */
export const own = {
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  image: z.string().nullable(),
  role: z.string(),
  language: z.int().nullable(),
  /** True if the password alone is not enough to sign in. */
  twoFactorEnabled: z.boolean(),
}

/** A user as the program uses it. The name and description of this schema in the API document are in `users/index.ts`. */
export const Person = z
  .object({
    ...own,
    createdAt: z.date(),
    updatedAt: z.date(),
    fields: z.record(z.string(), FieldValue),
  })
  .register(userShapes, { shape: 'shown' })

/** A user on the wire. There, configured fields stand beside the other fields, and not in an object `fields`. */
export const User = z.codec(z.looseObject({ ...own, createdAt: instant, updatedAt: instant }), Person, {
  decode: ({ id, name, email, emailVerified, image, role, language, twoFactorEnabled, createdAt, updatedAt, ...fields }) => ({
    ...{ id, name, email, emailVerified, image, role, language, twoFactorEnabled, createdAt, updatedAt },
    fields: fields as z.output<typeof Person>['fields'],
  }),
  encode: ({ fields, ...user }) => ({ ...fields, ...user }),
})

/**
 * `on`: the user has a second factor. The others are for users without one. `none`: the user needs none. `required`: the user has to add
 * one. `overdue`: the user should have added one by now.
 */
const secondFactorStates = ['none', 'on', 'required', 'overdue'] as const

/**
 * A user as administrators see it, in the form that the program uses. The name and description of this schema in the API document are in
 * `users/index.ts`.
 */
export const AdministeredPerson = Person.extend({
  /** True if the user is banned now. A ban with an end expires by itself. */
  banned: z.boolean(),
  banReason: z.string().nullable(),
  /** Null for a ban without an end. */
  banExpires: z.date().nullable(),
  secondFactor: z.enum(secondFactorStates),
}).register(userShapes, { shape: 'shown' })
export type AdministeredPerson = z.output<typeof AdministeredPerson>

const administered = {
  ...own,
  ...{ createdAt: instant, updatedAt: instant },
  ...{ banned: z.boolean(), banReason: z.string().nullable(), banExpires: instant.nullable() },
  secondFactor: z.enum(secondFactorStates),
}

/** A user as administrators see it, on the wire. There, configured fields stand beside the other fields, and not in an object `fields`. */
export const AdministeredUser = z.codec(z.looseObject(administered), AdministeredPerson, {
  decode: ({
    id,
    name,
    email,
    emailVerified,
    image,
    role,
    language,
    twoFactorEnabled,
    createdAt,
    updatedAt,
    banned,
    banReason,
    banExpires,
    secondFactor,
    ...fields
  }) => ({
    ...{
      id,
      name,
      email,
      emailVerified,
      image,
      role,
      language,
      createdAt,
      updatedAt,
      twoFactorEnabled,
      banned,
      banReason,
      banExpires,
      secondFactor,
    },
    fields: fields as z.output<typeof Person>['fields'],
  }),
  encode: ({ fields, ...user }) => ({ ...fields, ...user }),
})

export const userTag = resourceTag(AdministeredUser)

/** A user id in a path, query or body. */
export const UserId = plainText(64, 1)

/** A boolean in a query: `true` or `false`. */
const flag = z.enum(['true', 'false']).transform((text) => text === 'true')

export const userList = counted(
  sortedPage('users', AdministeredUser, {
    filter: {
      search: plainText(200, 1).optional().meta({
        description:
          'Text in the name, the address or the user name. A text of one or two characters matches only the beginning of a word. A text with `@` matches a part of the address.',
      }),
      role: plainText(100, 1).optional().meta({ description: 'One role of the instance.' }),
      verified: flag.optional(),
      banned: flag.optional(),
      secondFactor: z.enum(secondFactorStates).exclude(['none']).optional(),
      createdSince: instant.optional(),
      createdUntil: instant.optional(),
    },
    sorts: ['createdAt', 'name', 'email'],
  }),
)

/** A user on the wire, used in examples of the API document. */
export const exampleUser = {
  id: '0198c9d2-5f0a-7c41-9d3e-2b7f1a6c8e04',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  emailVerified: true,
  image: null,
  role: 'user',
  language: null,
  twoFactorEnabled: false,
  createdAt: '2026-03-02T09:15:00.000Z',
  updatedAt: '2026-03-02T09:15:00.000Z',
}

/** A configured field that users can set themselves, with what pages need to show it. */
export interface WritableField {
  readonly name: string
  readonly type: 'string' | 'number' | 'boolean' | 'date'
  readonly required: boolean
  /** True if answers contain the field. If false, the field is only asked for at sign-up. */
  readonly returned: boolean
  readonly default: z.output<typeof FieldValue>
  /** The values to choose from. Null if any value is allowed. */
  readonly values: readonly string[] | null
  readonly maxLength: number
  /** The label of the field: one for all languages, or one for each language. */
  readonly label: string | Readonly<Partial<Record<string, string>>>
}

export const userErrors = errorsOf({
  USER_NOT_FOUND: [[401, 404], 'User not found'],
  USER_ALREADY_EXISTS: [422, 'User already exists'],
  THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED: [400, 'The last administrator cannot be removed'],
  ADDRESS_IS_NOT_VERIFIED: [400, 'Address is not verified'],
  INVALID_EMAIL: [400, 'Invalid email'],
  EMAIL_CAN_NOT_BE_UPDATED: [400, 'Email can not be updated'],
  FAILED_TO_UPDATE_USER: [400, 'Failed to update user'],
  NO_DATA_TO_UPDATE: [400, 'No data to update'],
  USER_NAMES_ARE_NOT_ENABLED: [400, 'User names are not enabled'],
  // These errors about user names have the status 400 of Better Auth. For sign-ins and for checks of a name, the status is 422.
  USERNAME_IS_ALREADY_TAKEN: [400, 'Username is already taken. Please try another.'],
  USERNAME_TOO_SHORT: [[400, 422], 'Username is too short'],
  USERNAME_TOO_LONG: [[400, 422], 'Username is too long'],
  INVALID_USERNAME: [[400, 422], 'Username is invalid'],
  INVALID_DISPLAY_USERNAME: [400, 'Display username is invalid'],
  USERNAME_IS_IMMUTABLE: [400, 'Username cannot be updated'],
})

export const userEvents = defineEvents({
  'user.created': {
    summary: 'A user was created: by a sign-up, a first sign-in with a provider, an invitation or an operator.',
    subject: 'user',
    data: z.object({ role: z.string(), isVerified: z.boolean() }),
    counted: () => ({ counts: [['signUps', '']] }),
  },
  'user.updated': {
    summary: 'A user was changed. The actor shows whether the user made the change.',
    subject: 'user',
    data: z.object({ fields: z.array(z.string()).describe('the names of the changed fields') }),
  },
  'user.email_verified': {
    summary: 'The address of a user became verified, or a user was created with a verified one.',
    subject: 'user',
    data: z.object({}),
    transient: z.object({ email: z.string() }),
  },
  'user.role_changed': {
    summary: 'A user was given other roles on the instance.',
    subject: 'user',
    data: z.object({ from: z.string(), to: z.string() }),
  },
  'user.banned': {
    summary:
      "A user was banned. The user's sessions and all codes and tokens of applications for the user end, and the user cannot sign in.",
    subject: 'user',
    data: z.object({
      reason: z.string(),
      expiresAt: z.iso.datetime().nullable().describe('null if the ban lasts until it is lifted'),
    }),
  },
  'user.deleted': {
    summary: 'A user was deleted with everything that belongs to them. Recorded while the row is locked and still exists.',
    subject: 'user',
    data: z.object({}),
  },
  'user.unbanned': {
    summary: 'The ban of a user was lifted. A ban with an end expires without an event.',
    subject: 'user',
    data: z.object({}),
  },
  'user.username_changed': {
    summary: 'The user name of a user was set, changed or removed.',
    subject: 'user',
    data: z.object({
      from: z.string().nullable().describe('null if the user had none'),
      to: z.string().nullable().describe('null if the user has none any more'),
    }),
  },
  'user.email_changed': {
    summary: 'The address of a user was changed. The new address is not verified yet.',
    subject: 'user',
    data: z.object({}),
    transient: z.object({ formerEmail: z.string(), newEmail: z.string(), isByOperator: z.boolean() }),
  },
})
