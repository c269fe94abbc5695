import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Core } from '../../core/core.ts'
import type { User } from '../../identity/users/index.ts'
import type { NewMail, Requester } from '../../mail/index.ts'
import type { AccountMails } from './account-mails.ts'

/**
 * The content of the signed token in a link: this user has this mail address. Every change of the address makes the link invalid, even if
 * the address is changed back later.
 */
interface LinkClaims {
  readonly userId: string
  readonly email: string
  readonly emailVersion: number
  /** The new mail address; absent if the link verifies the present one. */
  readonly updateTo?: string
}

/** Links that verify or change a mail address. */
export interface SignedLinks {
  /**
   * Makes the mail that verifies a user's mail address. The user need not be stored yet. Call it before a transaction, because signing
   * the link takes time.
   */
  verificationMail(
    user: Pick<User, 'id' | 'name' | 'email' | 'emailVersion' | 'language'>,
    requester: Requester,
    callbackURL?: string,
  ): Promise<NewMail>
  /** Makes the mail to the present mail address about its change to another address. */
  changeMail(user: User, newEmail: string, requester: Requester, callbackURL?: string): Promise<NewMail>
  /** Reads the content of a link's token. Returns the error code if the token is invalid. */
  read(token: string): Promise<LinkClaims | 'TOKEN_EXPIRED' | 'INVALID_TOKEN'>
}

interface Deps extends Pick<Core, 'secrets' | 'clock'> {
  readonly accountMails: AccountMails
  readonly ttlSeconds: number
}

const claimsOf = ({ sub, email, version, updateTo }: JWTPayload): LinkClaims | 'INVALID_TOKEN' => {
  if (typeof sub !== 'string' || typeof email !== 'string' || typeof version !== 'number') return 'INVALID_TOKEN'
  const claims = { userId: sub, email, emailVersion: version }
  return typeof updateTo === 'string' ? { ...claims, updateTo } : claims
}

/**
 * The tokens are JWTs (accounts specification, section 9), signed with HS256 and a key that is used for nothing else. They need no rows
 * in the database: to use a link twice changes nothing, a change of the mail address makes it invalid, and every use is a conditional
 * update.
 */
export const createSignedLinks = ({ secrets, clock, accountMails, ttlSeconds }: Deps): SignedLinks => {
  const sign = ({ userId, email, emailVersion, updateTo }: LinkClaims) =>
    new SignJWT({ email, version: emailVersion, ...(updateTo === undefined ? {} : { updateTo }) })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(userId)
      .setIssuedAt(clock.now())
      .setExpirationTime(clock.after(ttlSeconds))
      .sign(secrets.signingKey('email-verification'))
  return {
    verificationMail: async (user, requester, callbackURL = '/') => {
      const token = await sign({ userId: user.id, email: user.email, emailVersion: user.emailVersion })
      return accountMails.verification(user, token, callbackURL, ttlSeconds, requester)
    },
    changeMail: async (user, newEmail, requester, callbackURL = '/') => {
      const { id: userId, email, emailVersion } = user
      const token = await sign({ userId, email, emailVersion, updateTo: newEmail })
      return accountMails.changeEmail(user, newEmail, token, callbackURL, ttlSeconds, requester)
    },
    read: async (token) => {
      for (const key of secrets.verifyingKeys('email-verification', ttlSeconds)) {
        try {
          const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], currentDate: clock.now() })
          return claimsOf(payload)
        } catch (error) {
          if (error instanceof errors.JWTExpired) return 'TOKEN_EXPIRED'
        }
      }
      return 'INVALID_TOKEN'
    },
  }
}
