import type { Tx } from '../core/db/database.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { Permission } from './permissions.ts'

/** The signed-in user as every use case sees them. */
export interface CurrentUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly role: string
  readonly language: number | null
  /** Normalized; set only where user names are enabled. */
  readonly username: string | null
  /** True when a sign-in needs more than the password. */
  readonly twoFactorEnabled: boolean
  /** Fields that the configuration adds, and the user name if enabled, by name. */
  readonly fields: Readonly<Record<string, string | number | boolean | null>>
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The session of the call. The raw `token` is known only here, during the request. */
export interface CurrentSession {
  readonly id: string
  readonly token: string
  readonly userId: string
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly ipAddress: string
  readonly userAgent: string
  readonly rememberMe: boolean
  readonly activeOrganizationId: string | null
  readonly activeTeamId: string | null
  /** The administrator who acts as the user in this session; null: the user. */
  readonly impersonatedBy: string | null
  /** Number of kinds of factors in the sign-in, including a remembered browser. */
  readonly factors: number
  /** Time of the last proof that is enough for sensitive changes: a second factor or passkey where the person has one. Null: none. */
  readonly provenAt: Date | null
  /** True when the person's role requires a stronger sign-in: the session has no permissions of the role. */
  readonly lacksSecondFactor: boolean
}

export interface AnonymousPrincipal extends RequestContext {
  readonly kind: 'anonymous'
}
export interface UserPrincipal extends RequestContext {
  readonly kind: 'user'
  readonly user: CurrentUser
  readonly session: CurrentSession
  /** The instance permissions of the user's roles. */
  readonly permissions: ReadonlySet<Permission>
  /** `session.impersonatedBy` if set; events name it. */
  readonly impersonatorId?: string
}
/** An application that acts for itself, with an access token of a client of the type `machine`. It has no account. */
export interface ApplicationPrincipal extends RequestContext {
  readonly kind: 'application'
  /** The client id; events name it. */
  readonly actorId: string
  /** The instance permissions of the client. */
  readonly permissions: ReadonlySet<Permission>
}
interface KeyPrincipal extends RequestContext {
  readonly kind: 'api-key'
  /** Id of the key; events name it. */
  readonly actorId: string
  /** The permissions of the key; instance permissions only as far as its person has them now. */
  readonly permissions: ReadonlySet<Permission>
  /** Number of kinds of factors in the session in which the key was made. */
  readonly factors: number
}
/** A key of a person: it acts for them, within the permissions of both. */
export interface PersonalKeyPrincipal extends KeyPrincipal {
  readonly owner: 'user'
  readonly user: CurrentUser
}
/** A key of an organization: it acts only there. */
export interface OrganizationKeyPrincipal extends KeyPrincipal {
  readonly owner: 'organization'
  readonly organizationId: string
}
/** A key of the instance. */
export interface InstanceKeyPrincipal extends KeyPrincipal {
  readonly owner: 'instance'
}
export type ApiKeyPrincipal = PersonalKeyPrincipal | OrganizationKeyPrincipal | InstanceKeyPrincipal

/** The command line or a job: it has the database and needs no session. */
export interface SystemPrincipal extends RequestContext {
  readonly kind: 'system'
  /** Actor for events, except for a command. */
  readonly actorId?: string
}

/** Checks in a transaction that the session or key of a call has not ended since the call began. Throws UNAUTHORIZED. */
export type RequireAlive = (tx: Tx, principal: Principal) => Promise<void>

/** The principal of a call: the first argument of every use case. */
export type Principal = AnonymousPrincipal | UserPrincipal | ApiKeyPrincipal | ApplicationPrincipal | SystemPrincipal

/** A principal that can have instance permissions: handlers of such endpoints get one. */
export type PermittedPrincipal = Exclude<Principal, AnonymousPrincipal>

/** A principal that acts for a person: a session, or a key of the person. */
export type PersonPrincipal = UserPrincipal | PersonalKeyPrincipal

/** A principal that can act in organizations: a session or key of a person, or a key of an organization. */
export type OrganizationPrincipal = PersonPrincipal | OrganizationKeyPrincipal

/** The session of the call; undefined for a call with a key. */
export const sessionOf = (principal: PersonPrincipal): CurrentSession | undefined =>
  principal.kind === 'user' ? principal.session : undefined

/** The principal of commands and jobs. */
export const systemPrincipal = (requestId: string, reason?: string): SystemPrincipal => ({
  ...{ kind: 'system', address: '', userAgent: '', requestId },
  ...(reason === undefined ? {} : { reason }),
})

/** True where an administrator acts as the user. */
export const isImpersonated = (principal: Principal): boolean =>
  principal.kind === 'user' && principal.session.impersonatedBy !== null

/** True for a session with a proof at most `ageSeconds` before `now`; 0: always. */
export const isFresh = ({ provenAt }: { readonly provenAt: Date | null }, now: Date, ageSeconds: number): boolean =>
  ageSeconds === 0 || (provenAt !== null && now.getTime() - provenAt.getTime() <= ageSeconds * 1000)
