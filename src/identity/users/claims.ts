import type { ClaimSource, ClaimsUser, SourcedValue } from '../../core/claims.ts'
import type { UserNames } from './names/service.ts'

type Names = Pick<UserNames, 'isOn'>

const from = (user: ClaimsUser, column: keyof ClaimsUser, value: unknown): SourcedValue => ({
  value,
  origins: [{ rule: `user.${column}`, row: `user ${user.id}` }],
})

/**
 * The claims about a user's profile and email address (OpenID Connect Core 1.0, section 5.4). The columns that they need are read
 * together with the token or session.
 */
export const createUserClaims = (names: Names): readonly ClaimSource[] => [
  {
    scope: 'openid',
    // The protocol itself adds `auth_time`, `acr` and `amr`, because their values belong to the session.
    claims: ['sub', 'auth_time', 'acr', 'amr', 'act'],
    claimsOf: async (_db, { user, impersonatorId }) => ({
      sub: from(user, 'id', user.id),
      // `act` names the administrator who impersonates the user (RFC 8693, section 4.1).
      ...(impersonatorId === undefined
        ? {}
        : {
            act: {
              value: { sub: impersonatorId },
              origins: [{ rule: 'session.impersonatedBy', row: `user ${impersonatorId}` }],
            },
          }),
    }),
  },
  {
    scope: 'profile',
    claims: ['name', 'given_name', 'family_name', 'nickname', 'preferred_username', 'picture', 'updated_at'],
    claimsOf: async (_db, { user }) => {
      const [given = '', ...family] = user.name.trim().split(/\s+/)
      // Applications show the value of these claims as a user name, and may identify accounts by it. So a user without a user name does
      // not get an email address or id in its place (docs/design/openid-provider.md#names-in-claims).
      const username = names.isOn && user.username !== null ? from(user, 'username', user.username) : undefined
      return {
        name: from(user, 'name', user.name),
        ...(given === '' ? {} : { given_name: from(user, 'name', given) }),
        ...(family.length === 0 ? {} : { family_name: from(user, 'name', family.join(' ')) }),
        ...(username === undefined ? {} : { nickname: username, preferred_username: username }),
        ...(user.image === null ? {} : { picture: from(user, 'image', user.image) }),
        updated_at: from(user, 'updatedAt', Math.floor(user.updatedAt.getTime() / 1000)),
      }
    },
  },
  {
    scope: 'email',
    claims: ['email', 'email_verified'],
    claimsOf: async (_db, { user }) => ({
      email: from(user, 'email', user.email),
      email_verified: from(user, 'emailVerified', user.emailVerified),
    }),
  },
]
