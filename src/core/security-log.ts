import type { RequestContext } from '../core/request-context.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** Names of security events in the log. Operators search for them after an attack. */
export type SecurityEvent =
  | 'sign-in.failed'
  | 'session.started'
  | 'role.changed'
  | 'user.banned'
  | 'impersonation.started'
  | 'password.reset'
  | 'password.changed'
  | 'request.refused'

/** Ids, codes and roles that the line contains. A secret or an email address must not be among them. */
export interface SecurityFacts {
  /** The user that the event is about. Null if there is none. */
  readonly userId: string | null
  readonly [fact: string]: string | null | undefined
}

/**
 * Writes a log line with the event, the user id, the client's IP address and the request id. In a transaction, the line is written after
 * the commit.
 */
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
