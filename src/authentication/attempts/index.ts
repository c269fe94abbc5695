import type { z } from 'zod'
import { periodic, sweepSeconds } from '../../core/queue.ts'
import { type Base, defineFeature } from '../../feature.ts'
import type { RateLimits } from '../../limits/index.ts'
import type { SessionStarter, Sessions } from '../sessions/index.ts'
import { attemptSettings } from './config.ts'
import { attemptErrors } from './errors.ts'
import { attemptEvents } from './events.ts'
import type { AuthenticationMethod, Proof } from './rules.ts'
import { type Attempts, createAttempts, type OpenAttempt, policyOf } from './service.ts'
import { createThrottling } from './throttling/service.ts'

export type { Attempts, AuthenticationMethod, OpenAttempt, Proof }

interface Config {
  readonly accounts: z.output<z.ZodObject<typeof attemptSettings>>
}

interface Needs {
  readonly sessions: Sessions
  readonly sessionStarter: SessionStarter
  readonly rateLimits: RateLimits | undefined
}

const build = (base: Base, { accounts: config }: Config, { sessions, sessionStarter: starter, rateLimits }: Needs) => {
  const limit = rateLimits && { limiter: rateLimits.limiter, ...rateLimits.network }
  const throttling = createThrottling(base, config.guessing, limit)
  return {
    api: { attempts: createAttempts({ ...base, sessions, starter, throttling, policy: policyOf(config) }) },
    retentions: [throttling.retention],
    tasks: [periodic('attempts.sweep', sweepSeconds, throttling.retention.sweep)],
  }
}

export const attemptsFeature = defineFeature({
  name: 'attempts',
  config: { accounts: attemptSettings },
  errors: attemptErrors.table,
  events: attemptEvents,
  build,
})
