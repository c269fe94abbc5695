import type { Source } from './caller.ts'
import type { Log } from './log.ts'

/** What an operator wants to find again after an attack. */
export type SecurityEvent =
  | 'sign-in.failed'
  | 'session.started'
  | 'role.changed'
  | 'password.reset'
  | 'password.changed'
  | 'request.refused'

/** Ids, codes and roles: nothing that opens an account, and no address of mail. */
export interface SecurityFacts {
  /** Whom it is about; null when that is nobody we know. */
  readonly userId: string | null
  readonly [fact: string]: string | null | undefined
}

/** Writes one line: event, user id, client address, request id. Of what a transaction does it is told after the commit. */
export type SecurityLog = (source: Source, event: SecurityEvent, facts: SecurityFacts) => void

export const createSecurityLog =
  (log: Log): SecurityLog =>
  ({ address, requestId }, event, facts) =>
    log.info({ event, ...facts, address, requestId }, 'security')
