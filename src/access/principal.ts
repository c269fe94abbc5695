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
  /** The normalized user name. Null on an instance without user names. */
  readonly username: string | null
  /** True if the password alone is not enough to sign in. */
  readonly twoFactorEnabled: boolean
  /** The configured fields, by name. On an instance with user names, also the user name. */
  readonly fields: Readonly<Record<string, string | number | boolean | null>>
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The session of the call. No other object contains the session's `token` in plain text, and this one exists only during the request. */
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
  /** The administrator who impersonates the user in this session. Null if nobody does. */
  readonly impersonatedBy: string | null
  /** How many kinds of factors the user has proved in this session. A remembered browser counts as one kind. */
  readonly factors: number
  /**
   * When the person last gave a proof that is strong enough for sensitive changes. If the person has a second factor, only a second
   * factor or a passkey is strong enough. Null if no such proof was given.
   */
  readonly provenAt: Date | null
  /**
   * True if a role of the person requires a second factor, and this session was not started with one. Then none of the roles' permissions
   * are allowed in the session.
   */
  readonly lacksSecondFactor: boolean
}

export interface AnonymousPrincipal extends RequestContext {
  readonly kind: 'anonymous'
}
export interface UserPrincipal extends RequestContext {
  readonly kind: 'user'
  readonly user: CurrentUser
  readonly session: CurrentSession
  /** The permissions on the instance that the user's roles give. */
  readonly permissions: ReadonlySet<Permission>
  /** The administrator who impersonates the user, as in `session.impersonatedBy`. Events record it. */
  readonly impersonatorId?: string
}
/** An application that acts for itself. It has an access token of a client of type `machine`, and no account. */
export interface ApplicationPrincipal extends RequestContext {
  readonly kind: 'application'
  /** The id of the client. Events record it as the actor. */
  readonly actorId: string
  /** The permissions on the instance that the client has. */
  readonly permissions: ReadonlySet<Permission>
}
interface KeyPrincipal extends RequestContext {
  readonly kind: 'api-key'
  /** The id of the API key. Events record it as the actor. */
  readonly actorId: string
  /** The permissions of the API key. A permission on the instance counts only while the person behind the key has it, too. */
  readonly permissions: ReadonlySet<Permission>
  /** How many kinds of factors were proved in the session in which the API key was created. */
  readonly factors: number
}
/** A person's API key. It acts for the person, within the permissions that both the key and the person have. */
export interface PersonalKeyPrincipal extends KeyPrincipal {
  readonly owner: 'user'
  readonly user: CurrentUser
}
/** An organization's API key. It acts only in this organization. */
export interface OrganizationKeyPrincipal extends KeyPrincipal {
  readonly owner: 'organization'
  readonly organizationId: string
}
/** An API key of the instance. It belongs to no person and no organization. */
export interface InstanceKeyPrincipal extends KeyPrincipal {
  readonly owner: 'instance'
}
export type ApiKeyPrincipal = PersonalKeyPrincipal | OrganizationKeyPrincipal | InstanceKeyPrincipal

/** The command line or a job. Both have direct access to the database and need no session. */
export interface SystemPrincipal extends RequestContext {
  readonly kind: 'system'
  /** What events record as the actor. Absent for a command. */
  readonly actorId?: string
}

/** Checks in a transaction that the session or key of the call is still valid. Throws UNAUTHORIZED if it has ended since the call began. */
export type RequireAlive = (tx: Tx, principal: Principal) => Promise<void>

/** The caller of a use case. Every use case takes the principal as its first argument. */
export type Principal = AnonymousPrincipal | UserPrincipal | ApiKeyPrincipal | ApplicationPrincipal | SystemPrincipal

/** A principal that can have instance permissions. Handlers of endpoints that require one receive this type. */
export type PermittedPrincipal = Exclude<Principal, AnonymousPrincipal>

/** A principal that acts for a person: a session, or a key of the person. */
export type PersonPrincipal = UserPrincipal | PersonalKeyPrincipal

/** A principal that can act in organizations: a session or key of a person, or a key of an organization. */
export type OrganizationPrincipal = PersonPrincipal | OrganizationKeyPrincipal

/** The session of the call. Undefined if the call was made with an API key. */
export const sessionOf = (principal: PersonPrincipal): CurrentSession | undefined =>
  principal.kind === 'user' ? principal.session : undefined

/** The principal of a command or job. */
export const systemPrincipal = (requestId: string, reason?: string): SystemPrincipal => ({
  ...{ kind: 'system', address: '', userAgent: '', requestId },
  ...(reason === undefined ? {} : { reason }),
})

/** True if an administrator impersonates the user in this session. */
export const isImpersonated = (principal: Principal): boolean =>
  principal.kind === 'user' && principal.session.impersonatedBy !== null

/** True if at `now` the last proof in the session is at most `ageSeconds` old. If `ageSeconds` is 0, always true. */
export const isFresh = ({ provenAt }: { readonly provenAt: Date | null }, now: Date, ageSeconds: number): boolean =>
  ageSeconds === 0 || (provenAt !== null && now.getTime() - provenAt.getTime() <= ageSeconds * 1000)
