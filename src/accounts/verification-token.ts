import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../core/clock.ts'
import type { Secrets } from '../core/crypto.ts'

/** What a verification link proves: this user, this address. It is worth nothing once either has changed. */
export interface VerificationClaim {
  readonly userId: string
  readonly email: string
}

export interface VerificationTokens {
  create(claim: VerificationClaim): Promise<string>
  /** The claim, or why there is none. */
  read(token: string): Promise<VerificationClaim | 'TOKEN_EXPIRED' | 'INVALID_TOKEN'>
}

/**
 * Signed tokens (accounts specification, section 9), HS256 with a key of their own. They need no row: verifying an address twice
 * changes nothing the second time, and the change itself is one conditional update.
 */
export const createVerificationTokens = (secrets: Secrets, clock: Clock, ttlSeconds: number): VerificationTokens => ({
  create: ({ userId, email }) => {
    const [key] = secrets.keys('email-verification')
    if (key === undefined) throw new Error('no master secret is configured')
    return new SignJWT({ email })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(userId)
      .setIssuedAt(clock.now())
      .setExpirationTime(clock.after(ttlSeconds))
      .sign(key)
  },
  read: async (token) => {
    for (const key of secrets.keys('email-verification')) {
      try {
        const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], currentDate: clock.now() })
        const { sub, email } = payload
        return typeof sub === 'string' && typeof email === 'string' ? { userId: sub, email } : 'INVALID_TOKEN'
      } catch (error) {
        if (error instanceof errors.JWTExpired) return 'TOKEN_EXPIRED'
      }
    }
    return 'INVALID_TOKEN'
  },
})
