import type { RequestContext } from '../core/request-context.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** Entries that operators search after an attack. */
export type SecurityEvent =
  | 'sign-in.failed'
  | 'session.started'
  | 'role.changed'
  | 'user.banned'
  | 'impersonation.started'
  | 'password.reset'
  | 'password.changed'
  | 'request.refused'

/** Ids, codes and roles: no secret, and no mail address. */
export interface SecurityFacts {
  /** The affected user; null without one. */
  readonly userId: string | null
  readonly [fact: string]: string | null | undefined
}

/** Writes a line with event, user id, client address and request id; in a transaction after the commit. */
export type SecurityLog = (source: RequestContext, event: SecurityEvent, facts: SecurityFacts) => void

export const createSecurityLog = (log: Log, metrics: Metrics): SecurityLog => {
  const count = metrics.counter({
    name: 'gatehouse_security_events_total',
    help: 'Lines of the security log, by event and error code: failed sign-ins, refused requests, changed passwords.',
    labels: ['event', 'code'],
  })
  return ({ address, requestId }, event, facts) => {
    count({ event, code: facts['code'] ?? '' })
    log.info({ event, ...facts, address, requestId }, 'security')
  }
}
