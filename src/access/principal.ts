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
  /** The normalized user name; null where user names are not enabled. */
  readonly username: string | null
  /** True when signing in takes more than the password. */
  readonly twoFactorEnabled: boolean
  /** The fields that the configuration adds, by name, and the user name where user names are enabled. */
  readonly fields: Readonly<Record<string, string | number | boolean | null>>
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The session of the call. Only this object contains the raw `token`, and only during the request. */
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
  /** The administrator who impersonates the user in this session; null without impersonation. */
  readonly impersonatedBy: string | null
  /** Number of kinds of factors in the sign-in. A remembered browser counts as a kind. */
  readonly factors: number
  /**
   * Time of the last proof that is strong enough for sensitive changes: a second factor or a passkey, if the person has one. Null if
   * there was none.
   */
  readonly provenAt: Date | null
  /** True when the person's role requires a stronger sign-in. The session then has none of the role's permissions. */
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
  /** Equals `session.impersonatedBy` in an impersonated session. Events record it. */
  readonly impersonatorId?: string
}
/** An application that acts for itself with the access token of a client of type `machine`. It has no account. */
export interface ApplicationPrincipal extends RequestContext {
  readonly kind: 'application'
  /** The client id, which events record as the actor. */
  readonly actorId: string
  /** The instance permissions of the client. */
  readonly permissions: ReadonlySet<Permission>
}
interface KeyPrincipal extends RequestContext {
  readonly kind: 'api-key'
  /** The id of the key, which events record as the actor. */
  readonly actorId: string
  /** The permissions of the key. An instance permission counts only while the person behind the key has it too. */
  readonly permissions: ReadonlySet<Permission>
  /** Number of kinds of factors in the session in which the key was created. */
  readonly factors: number
}
/** A person's key. It acts for the person, within the permissions of the key and of the person. */
export interface PersonalKeyPrincipal extends KeyPrincipal {
  readonly owner: 'user'
  readonly user: CurrentUser
}
/** An organization's key. It acts only in that organization. */
export interface OrganizationKeyPrincipal extends KeyPrincipal {
  readonly owner: 'organization'
  readonly organizationId: string
}
/** A key of the instance, which belongs to no person or organization. */
export interface InstanceKeyPrincipal extends KeyPrincipal {
  readonly owner: 'instance'
}
export type ApiKeyPrincipal = PersonalKeyPrincipal | OrganizationKeyPrincipal | InstanceKeyPrincipal

/** The command line or a job. Both have direct access to the database and need no session. */
export interface SystemPrincipal extends RequestContext {
  readonly kind: 'system'
  /** The actor that events record; absent for a command. */
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

/** The session of the call; undefined for a call with an API key. */
export const sessionOf = (principal: PersonPrincipal): CurrentSession | undefined =>
  principal.kind === 'user' ? principal.session : undefined

/** The principal of a command or job. */
export const systemPrincipal = (requestId: string, reason?: string): SystemPrincipal => ({
  ...{ kind: 'system', address: '', userAgent: '', requestId },
  ...(reason === undefined ? {} : { reason }),
})

/** True in a session in which an administrator impersonates the user. */
export const isImpersonated = (principal: Principal): boolean =>
  principal.kind === 'user' && principal.session.impersonatedBy !== null

/** True if the session's last proof is at most `ageSeconds` old at `now`. With `ageSeconds` 0 every session is fresh. */
export const isFresh = ({ provenAt }: { readonly provenAt: Date | null }, now: Date, ageSeconds: number): boolean =>
  ageSeconds === 0 || (provenAt !== null && now.getTime() - provenAt.getTime() <= ageSeconds * 1000)
