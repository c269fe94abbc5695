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
  /** Normalized; counts only where users have names. */
  readonly username: string | null
  /** A password alone does not sign them in. */
  readonly twoFactorEnabled: boolean
  /** Fields that the configuration adds, by name, and the user name where users have one. */
  readonly fields: Readonly<Record<string, string | number | boolean | null>>
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The session the call was made with. `token` is the raw token: it is known only here, while the request lasts. */
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
  /** The administrator who acts as the user in this session; null: the user themselves. */
  readonly impersonatedBy: string | null
  /** How many kinds of factors the sign-in counted; a remembered browser is one. */
  readonly factors: number
  /** When the person last gave a proof that is enough for sensitive changes: a second factor or passkey where they have one. Null: never. */
  readonly provenAt: Date | null
  /** More is required of the person than the session was given: it has no permissions of their role. */
  readonly lacksSecondFactor: boolean
}

export interface AnonymousPrincipal extends RequestContext {
  readonly kind: 'anonymous'
}
export interface UserPrincipal extends RequestContext {
  readonly kind: 'user'
  readonly user: CurrentUser
  readonly session: CurrentSession
  /** The permissions of their roles on the instance. */
  readonly permissions: ReadonlySet<Permission>
  /** `session.impersonatedBy`, where there is one: events name it. */
  readonly impersonatorId?: string
}
/** An application that acts for itself, with an access token that a client of the type `machine` got for itself. It has no account. */
export interface ApplicationPrincipal extends RequestContext {
  readonly kind: 'application'
  /** Its client id: events name it. */
  readonly actorId: string
  /** The permissions of the client on the instance. */
  readonly permissions: ReadonlySet<Permission>
}
interface KeyPrincipal extends RequestContext {
  readonly kind: 'api-key'
  /** Id of the key: events name it. */
  readonly actorId: string
  /** The permissions of the key; of the instance, only the ones that its person has now. */
  readonly permissions: ReadonlySet<Permission>
  /** How many kinds of factors the session counted in which it was made. */
  readonly factors: number
}
/** A key of a person: it acts for them, within what both of them may do. */
export interface PersonalKeyPrincipal extends KeyPrincipal {
  readonly owner: 'user'
  readonly user: CurrentUser
}
/** A key of an organization: it acts there and nowhere else. */
export interface OrganizationKeyPrincipal extends KeyPrincipal {
  readonly owner: 'organization'
  readonly organizationId: string
}
/** A key of the instance. */
export interface InstanceKeyPrincipal extends KeyPrincipal {
  readonly owner: 'instance'
}
export type ApiKeyPrincipal = PersonalKeyPrincipal | OrganizationKeyPrincipal | InstanceKeyPrincipal

/** The command line or a job: it runs beside the database and needs no session. */
export interface SystemPrincipal extends RequestContext {
  readonly kind: 'system'
  /** The acting part, where it is not a command: events name it. */
  readonly actorId?: string
}

/** Sees in a transaction that what a call was made with has not ended since it began. Throws UNAUTHORIZED. */
export type RequireAlive = (tx: Tx, principal: Principal) => Promise<void>

/** The principal of a call: the first argument of every use case. */
export type Principal = AnonymousPrincipal | UserPrincipal | ApiKeyPrincipal | ApplicationPrincipal | SystemPrincipal

/** A principal that can have permissions of the instance: handlers of such endpoints get one. */
export type PermittedPrincipal = Exclude<Principal, AnonymousPrincipal>

/** A principal that acts for a person: with a session, or with a key of theirs. */
export type PersonPrincipal = UserPrincipal | PersonalKeyPrincipal

/** A principal that can act in organizations: people, with a session or a key, and keys of organizations. */
export type OrganizationPrincipal = PersonPrincipal | OrganizationKeyPrincipal

/** The session of the call; undefined where it is made with a key. */
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

/** True for a session whose person proved themselves at most `ageSeconds` before `now`; 0: always. */
export const isFresh = ({ provenAt }: { readonly provenAt: Date | null }, now: Date, ageSeconds: number): boolean =>
  ageSeconds === 0 || (provenAt !== null && now.getTime() - provenAt.getTime() <= ageSeconds * 1000)
