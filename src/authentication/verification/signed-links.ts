import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Core } from '../../core/core.ts'
import type { User } from '../../identity/users/index.ts'
import type { NewMail, Requester } from '../../mail/index.ts'
import type { AccountMails } from './account-mails.ts'

/**
 * The content of a link, which says that this user has this address. Every change of the address invalidates the link, even if the
 * address is changed back.
 */
interface LinkClaims {
  readonly userId: string
  readonly email: string
  readonly emailVersion: number
  /** The new address that the user has requested. */
  readonly updateTo?: string
}

/** Links that verify or change an address. */
export interface SignedLinks {
  /** The mail that verifies the address of a user, who need not be stored yet. Its link is signed, so it is made before a transaction. */
  verificationMail(
    user: Pick<User, 'id' | 'name' | 'email' | 'emailVersion' | 'language'>,
    requester: Requester,
    callbackURL?: string,
  ): Promise<NewMail>
  /** The mail to the current address about the change to another one. */
  changeMail(user: User, newEmail: string, requester: Requester, callbackURL?: string): Promise<NewMail>
  /** Reads the content of a link. Returns the error code for an invalid link. */
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
 * Signed tokens (accounts specification, section 9) in HS256 with a key of their own. They need no row in the database. Using a link
 * twice changes nothing, a change of the address invalidates it, and every use is a conditional update.
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
