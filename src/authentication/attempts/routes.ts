import type { Core } from '../../core/core.ts'
import { bind } from '../../http/handlers.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import { pendingSignInContract } from './contract.ts'
import { maskedAddress } from './rules.ts'
import type { Attempts } from './types.ts'

interface Deps extends Pick<Core, 'db'> {
  readonly attempts: Pick<Attempts, 'open' | 'decide'>
  readonly secondFactors: Pick<SecondFactors, 'enrolled' | 'rememberDays'>
}

/** What the page of the second step needs to know before it shows. */
export const attemptRoutes = ({ db, attempts, secondFactors }: Deps) =>
  bind(pendingSignInContract, {
    pendingSignIn: async (principal, { cookies }) => {
      const attempt = await attempts.open(principal, cookies.pendingSignIn())
      const { user, origin, mustEnrol } = attempt
      const decision = origin === 'pending' ? await attempts.decide(db, principal, attempt, user) : undefined
      const enrolled = origin === 'session' ? (await secondFactors.enrolled(db, user)).map(({ name }) => name) : []
      const methods = decision?.kind === 'another-proof-needed' ? [...decision.methods] : enrolled
      const rememberDays = origin === 'pending' && !mustEnrol ? secondFactors.rememberDays() : 0
      return { methods, mustEnrol, origin, rememberDays, email: maskedAddress(user.email) }
    },
  })
