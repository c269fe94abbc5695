import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Core } from '../../core/core.ts'
import type { User } from '../../identity/users/index.ts'
import type { NewMail, Requester } from '../../mail/index.ts'
import type { AccountMails } from './account-mails.ts'

/** The content of a link: this user has this address. The link is void once the address has changed, even if it changes back. */
interface LinkClaims {
  readonly userId: string
  readonly email: string
  readonly emailVersion: number
  /** The address that the user wants instead. */
  readonly updateTo?: string
}

/** Links that verify or change an address. */
export interface SignedLinks {
  /** The mail that verifies the address of a user; the user need not be stored yet. It is signed, therefore made before a transaction. */
  verificationMail(
    user: Pick<User, 'id' | 'name' | 'email' | 'emailVersion' | 'language'>,
    requester: Requester,
    callbackURL?: string,
  ): Promise<NewMail>
  /** The mail that asks the current address for the change to another one. */
  changeMail(user: User, newEmail: string, requester: Requester, callbackURL?: string): Promise<NewMail>
  /** The content of a link, or why it is refused. */
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
 * Signed tokens (accounts specification, section 9), HS256 with a key of their own. They need no row: verifying an address twice
 * changes nothing the second time, changing it voids them, and either is one conditional update.
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
