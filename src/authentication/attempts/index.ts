import type { z } from 'zod'
import type { Core } from '../../core/core.ts'
import { reactTo } from '../../core/events/record.ts'
import { periodic, sweepSeconds } from '../../core/queue.ts'
import { sweepAll } from '../../core/retention.ts'
import { type Base, defineFeature } from '../../feature.ts'
import { bind } from '../../http/handlers.ts'
import type { Users } from '../../identity/users/index.ts'
import type { RateLimits } from '../../limits/index.ts'
import type { SignInFailures } from '../failures/index.ts'
import type { SecondFactors } from '../second-factors/index.ts'
import { sessionEvents } from '../sessions/contract.ts'
import type { SessionStarter, Sessions } from '../sessions/index.ts'
import { attemptErrors, attemptEvents, attemptSettings, pendingSignInContract } from './contract.ts'
import type { Acr, AuthenticationMethod, Facts, MethodName, Proof } from './rules.ts'
import { maskedAddress } from './rules.ts'
import { createAttempts, policyOf } from './service.ts'
import { createThrottling } from './throttling/service.ts'
import type { Attempts, ContinuedAttempt, OpenAttempt, Outcome, PendingSignIn } from './types.ts'

interface Deps extends Pick<Core, 'db'> {
  readonly attempts: Pick<Attempts, 'open' | 'decide'>
  readonly secondFactors: Pick<SecondFactors, 'enrolled' | 'rememberDays'>
}

/** The endpoint that returns the data for the page of the second step. */
const attemptRoutes = ({ db, attempts, secondFactors }: Deps) =>
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

export type {
  Acr,
  Attempts,
  AuthenticationMethod,
  ContinuedAttempt,
  Facts,
  MethodName,
  OpenAttempt,
  Outcome,
  PendingSignIn,
  Proof,
}

interface Config {
  readonly accounts: z.output<z.ZodObject<typeof attemptSettings>>
}

interface Needs {
  readonly users: Users
  readonly sessions: Sessions
  readonly secondFactors: SecondFactors
  readonly sessionStarter: SessionStarter
  readonly rateLimits: RateLimits | undefined
  readonly signInFailures?: SignInFailures
}

const build = (base: Base, { accounts: config }: Config, needs: Needs) => {
  const { sessionStarter: starter, rateLimits } = needs
  const limit = rateLimits && { limiter: rateLimits.limiter, ...rateLimits.network }
  const throttling = createThrottling(base, config.guessing, limit)
  const attempts = createAttempts({ ...base, ...needs, starter, throttling, policy: policyOf(config) })
  const retentions = [throttling.retention, attempts.retention]
  return {
    access: { pending_sign_in: 'waiting sign-ins' },
    withheldData: [
      { table: 'pending_sign_in', why: 'holds what a sign-in or change under way needs, for minutes' },
      { table: 'password_failure', why: 'counts wrong passwords for minutes, and holds nothing else' },
    ],
    api: { attempts },
    routes: attemptRoutes({ ...base, attempts, secondFactors: needs.secondFactors }),
    // When all sessions of a user are ended, the user's pending sign-ins end too.
    reactions: [reactTo(sessionEvents['user.sessions_ended'], (tx, { subjectId }) => attempts.endPending(tx, subjectId))],
    retentions,
    tasks: [periodic('attempts.sweep', sweepSeconds, sweepAll(retentions))],
  }
}

export const attemptsFeature = defineFeature({
  name: 'attempts',
  config: { accounts: attemptSettings },
  errors: attemptErrors.table,
  events: attemptEvents,
  build,
})
