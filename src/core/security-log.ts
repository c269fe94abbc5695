import type { RequestContext } from '../core/request-context.ts'
import type { Log } from './log.ts'

/** What an operator looks for after an attack. */
export type SecurityEvent =
  | 'sign-in.failed'
  | 'session.started'
  | 'role.changed'
  | 'user.banned'
  | 'impersonation.started'
  | 'password.reset'
  | 'password.changed'
  | 'request.refused'

/** Ids, codes and roles: nothing that opens an account, and no address of mail. */
export interface SecurityFacts {
  /** The user it is about; null when there is none. */
  readonly userId: string | null
  readonly [fact: string]: string | null | undefined
}

/** Writes one line: event, user id, client address, request id. In a transaction the line is written after the commit. */
export type SecurityLog = (source: RequestContext, event: SecurityEvent, facts: SecurityFacts) => void

export const createSecurityLog =
  (log: Log): SecurityLog =>
  ({ address, requestId }, event, facts) =>
    log.info({ event, ...facts, address, requestId }, 'security')
