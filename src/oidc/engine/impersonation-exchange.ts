import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { can } from '../../access/can.ts'
import type { RequireProof } from '../../access/proof.ts'
import type { Impersonation } from '../../authentication/impersonation/index.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { AppError } from '../../core/errors.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { RequiredAcr } from '../rules.ts'
import type { ProviderRequests } from './requests.ts'
import type { Resources } from './resources.ts'

export interface ImpersonationDeps extends Pick<Core, 'db' | 'clock'> {
  readonly requests: ProviderRequests
  readonly resources: Resources
  readonly sessions: Pick<Sessions, 'ofId'>
  readonly users: Pick<Users, 'find'>
  readonly memberships: Memberships | undefined
  /** Undefined if impersonation is disabled. */
  readonly impersonation?: Impersonation
  readonly requireProof: RequireProof
  readonly newGrantId: () => string
}

const invalid = (message: string) => new errors.InvalidRequest(message)

/** Turns the errors of the impersonation rules into errors of the token endpoint. */
const asAnswer = async <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof AppError ? new errors.AccessDenied(error.message) : error
  })

/**
 * The administrator to whom the actor token belongs. The token must have been issued to this client. It must come from a valid session
 * that is not an impersonation. Throws invalid_request.
 */
const requireAdministrator = async (
  { requests, sessions, resources }: ImpersonationDeps,
  provider: Provider,
  ctx: KoaContextWithOIDC,
  { actorToken: value, jkt }: { readonly actorToken: string; readonly jkt: string | undefined },
) => {
  const token = await provider.AccessToken.find(value)
  const request = requests.of(ctx.req)
  const row = (await request.found.get(sha256(value)))?.artifact
  const { audience, impersonation } = row?.payload ?? {}
  const isOwn = resources.isOwn(typeof audience === 'string' ? audience : undefined)
  const isOfActing = impersonation !== undefined || row?.exchangedFrom != null
  const isTheirs = row?.clientId === ctx.oidc.client?.clientId && isOwn && !isOfActing
  const principal = row?.sessionId == null || !isTheirs ? undefined : await sessions.ofId(row.sessionId, request.source)
  if (token === undefined || row === undefined || principal?.user.id !== row.accountId)
    throw invalid('actor_token must be an access token without offline_access that this client got for an administrator')
  if (token.jkt !== undefined && token.jkt !== jkt)
    throw invalid('actor_token is bound to a key: send the DPoP proof of that key')
  return { token, row, principal }
}

/**
 * Starts an impersonation by the rules of the console: the administrator has the permission, has signed in recently and gives a reason,
 * and the user is not an administrator. The token of the user belongs to the new session. The token ends with the new session and with
 * the administrator's own session. Throws access_denied and invalid_request.
 */
export const startImpersonation = async (
  deps: ImpersonationDeps,
  provider: Provider,
  ctx: KoaContextWithOIDC,
  {
    requireAcr,
    ...acting
  }: { readonly actorToken: string; readonly jkt: string | undefined; readonly requireAcr: RequiredAcr | null },
) => {
  const { db, clock, requests, users, memberships, impersonation, requireProof, newGrantId } = deps
  const { token, row, principal } = await requireAdministrator(deps, provider, ctx, acting)
  if (impersonation === undefined || !can(principal, 'users:impersonate') || principal.session.impersonatedBy !== null)
    throw new errors.AccessDenied('the actor may not impersonate users')
  await asAnswer(requireProof(principal, 'impersonate'))
  const { reason, organization } = ctx.oidc.body ?? {}
  const userId = String(ctx.oidc.params?.['subject_token'])
  const isNamed = typeof organization === 'string' && /^[\w-]{1,64}$/.test(organization)
  const own = isNamed ? await memberships?.claimsOf(db, userId, organization) : undefined
  if (organization !== undefined && own === undefined)
    throw invalid('the organization does not exist, or the user is not a member of it')
  // An administrator cannot prove a second factor of the user, neither in an impersonation nor at a sign-in.
  if (own?.requiresSecondFactor === true || requireAcr !== null)
    throw new errors.AccessDenied('an administrator who acts as somebody cannot reach the authentication class that is needed')
  const { started } = await asAnswer(
    impersonation.start(principal, userId, typeof reason === 'string' ? reason.slice(0, 500) : undefined, { keepsToken: true }),
  )
  const subject = await users.find(db, userId)
  if (subject === undefined) throw invalid('the user does not exist')
  const until = Math.min(started.session.expiresAt.getTime(), (token.exp ?? 0) * 1000)
  const request = requests.of(ctx.req)
  const grantId = newGrantId()
  request.accounts.set(userId, subject)
  const facts = {
    ...{ accountId: userId, clientId: row.clientId ?? '', scope: '', claims: [], resources: [] },
    grantedAt: Math.floor(clock.now().getTime() / 1000),
    organizationId: own?.id ?? null,
    impersonation: { by: principal.user.id, until },
    authentication: { acr: undefined, amr: undefined, authTime: undefined, sessionAcr: undefined },
    consent: { consentGiven: null, notBefore: null },
  }
  request.grants.set(grantId, facts)
  return { grantId, facts, until, sessionId: started.session.id, from: row.id, principal }
}
