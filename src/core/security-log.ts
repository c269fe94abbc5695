import type { RequestContext } from '../core/request-context.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** Security events, which operators search in the log after an attack. */
export type SecurityEvent =
  | 'sign-in.failed'
  | 'session.started'
  | 'role.changed'
  | 'user.banned'
  | 'impersonation.started'
  | 'password.reset'
  | 'password.changed'
  | 'request.refused'

/** Ids, codes and roles. A secret or a mail address must not be among them. */
export interface SecurityFacts {
  /** The user whom the event is about, or null. */
  readonly userId: string | null
  readonly [fact: string]: string | null | undefined
}

/** Writes a log line with event, user id, client address and request id. In a transaction, the line is written after the commit. */
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
