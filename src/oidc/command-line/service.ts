import { isInstancePermission, type Permission } from '../../access/permissions.ts'
import { systemPrincipal, type UserPrincipal } from '../../access/principal.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import type { RequestContext } from '../../core/request-context.ts'
import { findArtifact } from '../artifacts/store.ts'
import type { Clients } from '../clients/service.ts'
import { administrationScope, commandLineId, splitScope } from '../rules.ts'

/** The permission that a call needs, and whether the call accepts only a session and no token. */
interface PermittedAccess {
  readonly permission: Permission
  readonly session?: true | 'person'
}

/** The built-in public client of `gatehouse login`. Its tokens have the permissions of the administrator who approved them. */
export interface CommandLine {
  /** Registers the built-in client if `clientId` names it and it does not exist yet. */
  prepare(clientId: string): Promise<void>
  /**
   * Finds the person and the session of a token. It is the session in which the person approved the command line, and the token ends with
   * that session. The person's present role, ban and recent proofs of identity count. Returns undefined for every other token. Throws
   * FORBIDDEN for a call that accepts only a session and no token.
   */
  authenticate(token: string, context: RequestContext, access: PermittedAccess | undefined): Promise<UserPrincipal | undefined>
}

interface Deps extends Pick<Core, 'db' | 'clock' | 'random' | 'url'> {
  readonly clients: Pick<Clients, 'find' | 'enrol'>
  readonly sessions: Pick<Sessions, 'ofId'>
  readonly config: { readonly commandLine: boolean }
}

export const createCommandLine = ({ db, clock, random, url, clients, sessions, config }: Deps): CommandLine => ({
  prepare: async (clientId) => {
    if (clientId !== commandLineId || !config.commandLine || (await clients.find(clientId)) !== undefined) return
    const client = { name: 'Gatehouse CLI', type: 'native', redirectUris: [], scope: ['openid'], deviceFlow: true } as const
    const enrolment = { by: 'administrator', registrantId: null, builtInId: commandLineId } as const
    try {
      await clients.enrol({ ...systemPrincipal(random.requestId()), actorId: 'command-line' }, client, enrolment)
    } catch (error) {
      // Another request may have registered the client first.
      if (!(error instanceof AppError) || error.code !== 'CLIENT_ID_IS_TAKEN') throw error
    }
  },
  authenticate: async (token, context, access) => {
    if (access === undefined || !config.commandLine || !isInstancePermission(access.permission)) return undefined
    const found = (await findArtifact(db, sha256(token)))?.artifact
    if (found?.kind !== 'AccessToken' || found.clientId !== commandLineId || found.expiresAt <= clock.now()) return undefined
    const { payload, accountId, sessionId } = found
    const { scope, audience, jkt } = payload
    const isForUs = (audience === undefined || audience === url) && jkt === undefined
    if (!isForUs || accountId === null || sessionId === null || !splitScope(String(scope)).includes(administrationScope))
      return undefined
    if ((await clients.find(commandLineId))?.scopes.includes(administrationScope) !== true) return undefined
    const principal = await sessions.ofId(sessionId, context)
    if (principal?.user.id !== accountId || principal.session.impersonatedBy !== null) return undefined
    if (access.session === true) throw coreErrors.error('FORBIDDEN', { message: 'Only for signed-in people' })
    return principal
  },
})
