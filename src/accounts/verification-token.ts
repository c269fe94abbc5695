import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../core/clock.ts'
import type { Secrets } from '../core/crypto.ts'

/** What a link proves: this user, this address. It is worth nothing once either has changed, even if the address comes back. */
export interface VerificationClaim {
  readonly userId: string
  readonly email: string
  readonly emailVersion: number
  /** The address the user wants instead. */
  readonly updateTo?: string
}

export interface VerificationTokens {
  create(claim: VerificationClaim): Promise<string>
  /** The claim, or why there is none. */
  read(token: string): Promise<VerificationClaim | 'TOKEN_EXPIRED' | 'INVALID_TOKEN'>
}

const claimOf = ({ sub, email, version, updateTo }: JWTPayload): VerificationClaim | 'INVALID_TOKEN' => {
  if (typeof sub !== 'string' || typeof email !== 'string' || typeof version !== 'number') return 'INVALID_TOKEN'
  const claim = { userId: sub, email, emailVersion: version }
  return typeof updateTo === 'string' ? { ...claim, updateTo } : claim
}

/**
 * Signed tokens (accounts specification, section 9), HS256 with a key of their own. They need no row: verifying an address twice
 * changes nothing the second time, changing it voids them, and either is one conditional update.
 */
export const createVerificationTokens = (secrets: Secrets, clock: Clock, ttlSeconds: number): VerificationTokens => ({
  create: ({ userId, email, emailVersion, updateTo }) =>
    new SignJWT({ email, version: emailVersion, ...(updateTo === undefined ? {} : { updateTo }) })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(userId)
      .setIssuedAt(clock.now())
      .setExpirationTime(clock.after(ttlSeconds))
      .sign(secrets.signingKey('email-verification')),
  read: async (token) => {
    for (const key of secrets.verifyingKeys('email-verification', ttlSeconds)) {
      try {
        const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], currentDate: clock.now() })
        return claimOf(payload)
      } catch (error) {
        if (error instanceof errors.JWTExpired) return 'TOKEN_EXPIRED'
      }
    }
    return 'INVALID_TOKEN'
  },
})
