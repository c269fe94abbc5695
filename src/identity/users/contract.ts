import { z } from 'zod'
import { languageCodes } from '../../core/locale.ts'
import { sortedPage } from '../../core/page.ts'
import { resourceTag } from '../../core/resource-tag.ts'
import { instant, plainText } from '../../core/wire.ts'

/** One of the specification's languages by number. */
export const Language = z.literal(Object.values(languageCodes))

/** Value of an extra field; a date is its ISO 8601 text. */
export const FieldValue = z.union([z.string(), z.number(), z.boolean(), z.null()])

/** Where the fields and names stand that the configuration gives users: in answers, or what a call takes. */
export type UserShape = 'shown' | 'sign-up' | 'change' | 'operator'
/** The schemas that have them, for the API document of an instance (`api-schemas.ts`). */
export const userShapes = z.registry<{ readonly shape: UserShape }>()

/** Fields that every user has, but for the times, which travel as text. */
export const own = {
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  image: z.string().nullable(),
  role: z.string(),
  language: z.int().nullable(),
  /** A password alone does not sign them in. */
  twoFactorEnabled: z.boolean(),
}

/** A user without the codec: `users/index.ts` describes it to readers of the API. */
export const Person = z
  .object({
    ...own,
    createdAt: z.date(),
    updatedAt: z.date(),
    fields: z.record(z.string(), FieldValue),
  })
  .register(userShapes, { shape: 'shown' })

/** A user as answers show it: what the configuration adds (`fields`) stands beside the rest on the wire. */
export const User = z.codec(z.looseObject({ ...own, createdAt: instant, updatedAt: instant }), Person, {
  decode: ({ id, name, email, emailVerified, image, role, language, twoFactorEnabled, createdAt, updatedAt, ...fields }) => ({
    ...{ id, name, email, emailVerified, image, role, language, twoFactorEnabled, createdAt, updatedAt },
    fields: fields as z.output<typeof Person>['fields'],
  }),
  encode: ({ fields, ...user }) => ({ ...fields, ...user }),
})

/**
 * `on`: they have a second factor. Of the others, `required`: they have to add one; `overdue`: the time to add it is over; `none`: nothing is
 * required of them.
 */
const secondFactorStates = ['none', 'on', 'required', 'overdue'] as const

/** A user without the codec: `users/index.ts` describes it to readers of the API. */
export const AdministeredPerson = Person.extend({
  /** At this moment: a ban with an end ends by itself. */
  banned: z.boolean(),
  banReason: z.string().nullable(),
  /** Null: until the ban is lifted. */
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

/** A user as administrators see them. What the configuration adds (`fields`) stands beside the rest on the wire. */
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

/** An id in a path, a query or a body. */
export const UserId = plainText(64, 1)

/** `true` or `false`, as a query has it. */
const flag = z.enum(['true', 'false']).transform((text) => text === 'true')

export const userList = sortedPage('users', AdministeredUser, {
  filter: {
    search: plainText(200, 1)
      .optional()
      .meta({ description: 'Beginnings of words of the name, the address or the user name; with `@` an address or a domain.' }),
    role: plainText(100, 1).optional().meta({ description: 'One role of the instance.' }),
    verified: flag.optional(),
    banned: flag.optional(),
    secondFactor: z.enum(secondFactorStates).exclude(['none']).optional(),
    createdSince: instant.optional(),
    createdUntil: instant.optional(),
  },
  sorts: ['createdAt', 'name', 'email'],
})

/** A user on the wire, for examples of the API document. */
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

/** A field that users write, as pages ask for it. */
export interface WritableField {
  readonly name: string
  readonly type: 'string' | 'number' | 'boolean' | 'date'
  readonly required: boolean
  /** In answers with a user; another is asked at sign-up alone. */
  readonly returned: boolean
  readonly default: z.output<typeof FieldValue>
  /** The only ones there are. */
  readonly values: readonly string[] | null
  readonly maxLength: number
  /** For everybody, or by language. */
  readonly label: string | Readonly<Partial<Record<string, string>>>
}
