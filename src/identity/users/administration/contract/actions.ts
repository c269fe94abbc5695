import { z } from 'zod'
import { ListedSession } from '../../../../authentication/sessions/contract.ts'
import { errorsOf } from '../../../../core/errors.ts'
import { emailInput, instant, nameInput, passwordInput, plainText } from '../../../../core/wire.ts'
import { contract } from '../../../../http/contract.ts'
import { AdministeredUser, exampleUser, UserId, userTag } from '../../contract.ts'

const Roles = z.union([plainText(100, 1), z.array(plainText(100, 1)).min(1).max(20)])
const ofUser = z.object({ userId: UserId })
const managed = z.object({ user: AdministeredUser })
const success = z.object({ success: z.boolean() })
const permissionMap = z.record(z.string(), z.array(z.string()))

/** A link with which a person can set the user's password. Only this answer contains it. */
const RecoveryLink = z.object({ url: z.string(), expiresAt: instant }).meta({ id: 'RecoveryLink' })

/** A hundred years in seconds. It is the longest time for which a ban can last; a ban without an end takes its place. */
const longestSeconds = 3_153_600_000

export const administrationContract = contract('Users', {
  createUser: {
    method: 'POST',
    path: '/admin/create-user',
    summary: 'Create a user; without a password, the user signs in at a provider or requests a link for setting one',
    access: { permission: 'users:create', fresh: 'person', denied: 'You are not allowed to create users' },
    body: z.object({
      email: emailInput,
      name: nameInput,
      password: passwordInput.optional(),
      /**
       * How the user signs in for the first time without a `password`. `mail`: the user gets a mail with a link to set a password.
       * `link`: the answer contains that link; the caller has to declare the email address verified.
       */
      firstSignIn: z.enum(['mail', 'link']).optional(),
      role: Roles.optional(),
      /**
       * Further fields: `emailVerified`, `role`, the fields in `users.fields`, and on an instance with user names `username` and
       * `displayUsername`.
       */
      data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
    }),
    response: managed.extend({ link: RecoveryLink.optional() }),
    errors: [
      'RESET_PASSWORD_ISNT_ENABLED',
      'RECOVERY_NEEDS_A_VERIFIED_ADDRESS',
      'YOU_ARE_NOT_ALLOWED_TO_CREATE_USERS',
      'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE',
      'YOU_ARE_NOT_ALLOWED_TO_GIVE_MORE_THAN_YOU_HAVE',
      'ROLE_IS_NOT_KNOWN',
      'INVALID_EMAIL',
      'USER_ALREADY_EXISTS',
      'PASSWORD_TOO_SHORT',
      'PASSWORD_TOO_LONG',
      'PASSWORD_TOO_COMMON',
      'PASSWORD_WAS_LEAKED',
      'USER_NAMES_ARE_NOT_ENABLED',
      '400 USERNAME_TOO_SHORT',
      '400 USERNAME_TOO_LONG',
      '400 INVALID_USERNAME',
      'INVALID_DISPLAY_USERNAME',
      'USERNAME_IS_ALREADY_TAKEN',
    ],
  },
  setRole: {
    method: 'POST',
    path: '/admin/set-role',
    summary: 'Replace the roles of a user on the instance; the new roles apply from the next request of the user on',
    access: { permission: 'users:set-role', fresh: 'person', denied: 'You are not allowed to change users role' },
    body: ofUser.extend({ role: Roles }),
    response: managed,
    errors: [
      'ADDRESS_IS_NOT_VERIFIED',
      'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE',
      'YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS',
      'YOU_ARE_NOT_ALLOWED_TO_GIVE_MORE_THAN_YOU_HAVE',
      'ROLE_IS_NOT_KNOWN',
      '404 USER_NOT_FOUND',
      'THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED',
    ],
  },
  setUserPassword: {
    method: 'POST',
    path: '/admin/set-user-password',
    summary: "Set the password of a user; the user's sessions end, and the user is notified by mail",
    access: { permission: 'users:set-password', fresh: 'person', denied: 'You are not allowed to set users password' },
    body: ofUser.extend({
      newPassword: passwordInput,
      /** If true, the call is refused for a user who already has a password. */
      onlyIfNone: z.boolean().optional(),
    }),
    response: z.object({ status: z.boolean() }),
    errors: [
      'YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD',
      'USER_ALREADY_HAS_A_PASSWORD',
      'YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS',
      '404 USER_NOT_FOUND',
      'PASSWORD_TOO_SHORT',
      'PASSWORD_TOO_LONG',
      'PASSWORD_TOO_COMMON',
      'PASSWORD_WAS_LEAKED',
    ],
  },
  createRecoveryLink: {
    method: 'POST',
    path: '/admin/users/:id/recovery-link',
    summary: "Create a link with which a user sets a new password; it works once, and its use ends the user's sessions and locks",
    access: { permission: 'users:set-password', fresh: 'person' },
    params: z.object({ id: UserId }),
    body: z.object({
      /** If true, using the link also removes the user's second factors. */
      secondFactor: z.boolean().default(false),
    }),
    response: RecoveryLink,
    errors: [
      'RESET_PASSWORD_ISNT_ENABLED',
      'RECOVERY_NEEDS_A_VERIFIED_ADDRESS',
      'BANNED_USER',
      'YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS',
      '404 USER_NOT_FOUND',
    ],
  },
  banUser: {
    method: 'POST',
    path: '/admin/ban-user',
    summary: 'Ban a user; their sessions and all tokens end, and they cannot sign in; a new ban replaces the previous one',
    access: { permission: 'users:ban', denied: 'You are not allowed to ban users' },
    body: ofUser.extend({
      banReason: plainText(500).optional(),
      /** How long the ban lasts, in seconds. If absent or 0: until somebody lifts it. */
      banExpiresIn: z.number().min(0).max(longestSeconds).optional(),
    }),
    response: managed,
    errors: [
      'YOU_ARE_NOT_ALLOWED_TO_BAN_USERS',
      'YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS',
      'YOU_CANNOT_BAN_YOURSELF',
      '404 USER_NOT_FOUND',
      'THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED',
    ],
  },
  unbanUser: {
    method: 'POST',
    path: '/admin/unban-user',
    summary: 'Lift the ban of a user; sessions that have ended do not come back',
    access: { permission: 'users:ban', denied: 'You are not allowed to ban users' },
    body: ofUser,
    response: managed,
    errors: [
      'YOU_ARE_NOT_ALLOWED_TO_BAN_USERS',
      'YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS',
      '404 USER_NOT_FOUND',
    ],
  },
  removeUser: {
    method: 'POST',
    path: '/admin/remove-user',
    summary: 'Delete a user with everything that belongs to them',
    access: { permission: 'users:delete', fresh: 'person', denied: 'You are not allowed to delete users' },
    body: ofUser,
    response: success,
    errors: [
      'YOU_ARE_NOT_ALLOWED_TO_DELETE_USERS',
      'YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS',
      'YOU_CANNOT_REMOVE_YOURSELF',
      '404 USER_NOT_FOUND',
      'THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED',
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
    ],
  },
  adminDeleteUser: {
    method: 'DELETE',
    path: '/admin/users/:id',
    summary: 'Delete a user with everything that belongs to them',
    access: { permission: 'users:delete', fresh: 'person' },
    params: z.object({ id: UserId }),
    response: success,
    ifMatch: userTag,
    errors: [
      'YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS',
      'YOU_CANNOT_REMOVE_YOURSELF',
      '404 USER_NOT_FOUND',
      'THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED',
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
    ],
  },
  listUserSessions: {
    method: 'POST',
    path: '/admin/list-user-sessions',
    summary:
      'List the sessions of a user that have not ended, last used first; `token` contains the id of the session and never a token',
    access: { permission: 'user-sessions:read', denied: 'You are not allowed to list users sessions' },
    body: ofUser,
    response: z.object({ sessions: z.array(ListedSession) }),
    errors: ['YOU_ARE_NOT_ALLOWED_TO_LIST_USERS_SESSIONS', '404 USER_NOT_FOUND'],
  },
  revokeUserSession: {
    method: 'POST',
    path: '/admin/revoke-user-session',
    summary: 'End one session of a user, by its id or token',
    access: { permission: 'user-sessions:delete', denied: 'You are not allowed to revoke users sessions' },
    body: z.object({ sessionToken: plainText(64, 1) }),
    response: success,
    errors: [
      'YOU_ARE_NOT_ALLOWED_TO_REVOKE_USERS_SESSIONS',
      'YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS',
      'SESSION_NOT_FOUND',
    ],
  },
  revokeUserSessions: {
    method: 'POST',
    path: '/admin/revoke-user-sessions',
    summary: 'End all sessions of a user, and their tokens at applications',
    access: { permission: 'user-sessions:delete', denied: 'You are not allowed to revoke users sessions' },
    body: ofUser,
    response: success,
    errors: [
      'YOU_ARE_NOT_ALLOWED_TO_REVOKE_USERS_SESSIONS',
      'YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS',
      '404 USER_NOT_FOUND',
    ],
  },
  hasInstancePermission: {
    method: 'POST',
    path: '/admin/has-permission',
    summary: 'Check whether the signed-in user has all of these permissions on the instance',
    access: { permission: 'account:read' },
    body: z
      .object({
        permissions: permissionMap.optional(),
        /** The former name of the field `permissions`. */
        permission: permissionMap.optional(),
      })
      .refine((body) => body.permissions !== undefined || body.permission !== undefined, {
        path: ['permissions'],
        message: 'a map of resource to actions is expected',
      }),
    response: z.object({ error: z.null(), success: z.boolean() }),
    errors: [],
  },
})

export const administrationErrors = errorsOf({
  YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE: [403, 'You are not allowed to change users role'],
  YOU_ARE_NOT_ALLOWED_TO_CREATE_USERS: [403, 'You are not allowed to create users'],
  YOU_ARE_NOT_ALLOWED_TO_LIST_USERS_SESSIONS: [403, 'You are not allowed to list users sessions'],
  YOU_ARE_NOT_ALLOWED_TO_BAN_USERS: [403, 'You are not allowed to ban users'],
  YOU_ARE_NOT_ALLOWED_TO_REVOKE_USERS_SESSIONS: [403, 'You are not allowed to revoke users sessions'],
  YOU_ARE_NOT_ALLOWED_TO_DELETE_USERS: [403, 'You are not allowed to delete users'],
  YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD: [403, 'You are not allowed to set users password'],
  YOU_ARE_NOT_ALLOWED_TO_ACT_ON_USERS_WITH_MORE_PERMISSIONS: [403, 'You are not allowed to act on users with more permissions'],
  YOU_ARE_NOT_ALLOWED_TO_GIVE_MORE_THAN_YOU_HAVE: [403, 'You are not allowed to give more than you have'],
  YOU_CANNOT_BAN_YOURSELF: [400, 'You cannot ban yourself'],
  YOU_CANNOT_REMOVE_YOURSELF: [400, 'You cannot remove yourself'],
})

const userId = exampleUser.id
const exampleManaged = { ...exampleUser, banned: false, banReason: null, banExpires: null, secondFactor: 'none' }

/** Descriptions and examples for the API document, of the calls in this file. */
export const administrationDocumentation = {
  createUser: {
    description:
      'A mail is sent only with `firstSignIn: "mail"`. `data` accepts `emailVerified` and all fields of `users.fields`, including those that only operators set.',
    example: {
      body: { email: 'ada@example.com', name: 'Ada Lovelace', password: 'correct horse battery', role: 'user' },
      response: { user: exampleManaged },
    },
  },
  createRecoveryLink: {
    description:
      'Does the same as `gatehouse create-recovery-link`. The link is shown once, and is valid as long as a mailed one (`accounts.resetTtlSeconds`). Administrators cannot create a link for themselves.',
    example: {
      body: { secondFactor: false },
      response: { url: 'https://auth.example.com/reset-password?token=…', expiresAt: '2026-03-02T10:15:00.000Z' },
    },
  },
  setRole: {
    description:
      'Several roles are separated by commas or form a list. Sessions in which the user impersonates another person end.',
    example: { body: { userId, role: 'support' }, response: { user: { ...exampleManaged, role: 'support' } } },
  },
  banUser: {
    description:
      'Sessions, codes and tokens of the user end with the answer, on every node. At a sign-in, after the correct password, the user learns of the ban but not of its reason. With `banExpiresIn` in seconds the ban ends by itself.',
    example: {
      body: { userId, banReason: 'Chargebacks', banExpiresIn: 86400 },
      response: { user: { ...exampleManaged, banned: true, banReason: 'Chargebacks', banExpires: '2026-03-03T09:15:00.000Z' } },
    },
  },
  hasInstancePermission: {
    description: 'Accepts the permissions of Better Auth (`{"user": ["ban"]}`) and those of gatehouse (`{"clients": ["read"]}`).',
    example: { body: { permissions: { user: ['ban'] } }, response: { error: null, success: true } },
  },
}
