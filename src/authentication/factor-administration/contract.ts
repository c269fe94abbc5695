import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { resourceTag } from '../../core/resource-tag.ts'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { exampleUser } from '../../identity/users/contract.ts'

/** A second factor of a user as operators see it, without secret, codes and keys. */
const Factor = z
  .object({
    id: z.string(),
    /** `passkey`: the device verifies its user, so the passkey can also sign in alone. `security-key`: it can only be a second factor. */
    kind: z.enum(['totp', 'passkey', 'security-key', 'recovery-code']),
    name: z.string().nullable(),
    createdAt: instant,
    lastUsedAt: instant.nullable(),
    /** False if the factor cannot be used now: its kind is disabled, or all recovery codes are used. */
    counts: z.boolean(),
    /** The number of unused recovery codes; absent for other kinds. */
    left: z.int().optional(),
    /** False for recovery codes. They are deleted together with the last other factor. */
    removable: z.boolean(),
  })
  .meta({ id: 'SecondFactor' })

export const UserFactors = z
  .object({
    userId: z.string(),
    /** True if the password alone is not enough to sign in. */
    twoFactorEnabled: z.boolean(),
    factors: z.array(Factor),
    /** The number of the user's remembered browsers. The user is not asked for a second factor in them. */
    rememberedBrowsers: z.int(),
    /** True if an operator requires a second factor of this person. */
    required: z.boolean(),
    /**
     * The rule that requires a second factor: an operator requires it of this person, or the configuration requires it for roles or for
     * everybody. Null if no rule requires it.
     */
    requirement: z
      .object({
        by: z.enum(['person', 'roles', 'everybody']),
        roles: z.array(z.string()),
        /** The time until which the user has to add a second factor; null if that period starts only with the user's next sign-in. */
        dueAt: instant.nullable(),
      })
      .nullable(),
    /**
     * The number of passwords, linked accounts and passkeys with which the user can sign in. If it is 0, the user needs a link in order
     * to sign in. Such a link is mailed, or an operator passes it on.
     */
    signInMethods: z.int(),
  })
  .meta({ id: 'UserFactors' })
export type UserFactors = z.output<typeof UserFactors>

/** The number of remembered browsers is not part of the ETag, because it changes without a change by an administrator. */
const factorsTag = resourceTag(UserFactors, { except: ['rememberedBrowsers'] })

const Id = plainText(64, 1)
const ofUser = z.object({ id: Id })
/** Removing a second factor can give access to an account, just as setting a password can. Both changes need the permission for passwords. */
const changes = { permission: 'users:set-password', fresh: 'person' } as const

export const factorAdministrationContract = contract('Users', {
  adminListFactors: {
    method: 'GET',
    path: '/admin/users/:id/factors',
    summary: 'Get the second factors and passkeys of a user, and the rules that require a second factor',
    access: { permission: 'users:read' },
    params: ofUser,
    response: UserFactors,
    etag: factorsTag,
    errors: ['NOT_FOUND'],
  },
  adminRequireFactor: {
    method: 'PATCH',
    path: '/admin/users/:id/factors',
    summary: 'Require a second factor of a user regardless of roles, or no longer require it',
    access: changes,
    params: ofUser,
    body: z.object({ required: z.boolean() }),
    response: UserFactors,
    etag: factorsTag,
    ifMatch: factorsTag,
    errors: ['NOT_FOUND'],
  },
  adminRemoveFactors: {
    method: 'DELETE',
    path: '/admin/users/:id/factors',
    summary: 'Remove all second factors of a user, including passkeys and recovery codes',
    access: changes,
    params: ofUser,
    response: UserFactors,
    etag: factorsTag,
    ifMatch: factorsTag,
    errors: ['NOT_FOUND', 'THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED'],
  },
  adminRemoveFactor: {
    method: 'DELETE',
    path: '/admin/users/:id/factors/:factorId',
    summary: 'Remove one second factor or passkey of a user',
    access: changes,
    params: z.object({ id: Id, factorId: Id }),
    response: UserFactors,
    etag: factorsTag,
    ifMatch: factorsTag,
    errors: ['NOT_FOUND', 'RECOVERY_CODES_GO_WITH_THE_LAST_SECOND_FACTOR', 'THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED'],
  },
})

export const factorAdministrationErrors = errorsOf({
  RECOVERY_CODES_GO_WITH_THE_LAST_SECOND_FACTOR: [409, 'Recovery codes go with the last second factor'],
})

const none = {
  ...{ userId: exampleUser.id, twoFactorEnabled: false, factors: [], rememberedBrowsers: 0, required: false },
  ...{ requirement: null, signInMethods: 1 },
}
const removed =
  'Sessions stay; sign-ins between their steps and remembered browsers end, and the user is told by mail. Where a second factor is required, the next sign-in has to add one. `signInMethods` is 0 when none of their ways to sign in is left.'

/** Descriptions and examples for the API document. */
export const factorAdministrationDocumentation = {
  adminListFactors: {
    description: 'Secrets, codes and keys are never shown. Setups that are not finished are left out.',
    example: {
      response: {
        ...none,
        twoFactorEnabled: true,
        factors: [
          {
            ...{ id: '7Q2mZk1vXw0bT9nY5sR8uL3cD4eF6gH0', kind: 'totp', name: null, counts: true, removable: true },
            ...{ createdAt: '2026-03-02T09:15:00.000Z', lastUsedAt: '2026-03-05T08:00:30.000Z' },
          },
        ],
        requirement: { by: 'roles', roles: ['support'], dueAt: '2026-03-09T09:15:00.000Z' },
      },
    },
  },
  adminRequireFactor: {
    description:
      'The time of grace (`secondFactor.graceDays`) starts now. `secondFactor.passwordAlone` says what a password alone opens after that time.',
    example: {
      body: { required: true },
      response: {
        ...none,
        required: true,
        requirement: { by: 'person', roles: [], dueAt: '2026-03-09T09:15:00.000Z' },
      },
    },
  },
  adminRemoveFactors: { description: removed, example: { response: none } },
  adminRemoveFactor: { description: removed, example: { response: none } },
}
