import { missingScopes, standardScopes } from '../rules.ts'

/** The grant (RFC 8693). */
export const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange'

const types = 'urn:ietf:params:oauth:token-type'
export const accessTokenType = `${types}:access_token`
/** For access tokens of this server that are JWTs; other JWTs are refused. */
export const jwtType = `${types}:jwt`
const accepted: readonly string[] = [accessTokenType, jwtType]
/** Type of this server: the id of a user as whom an administrator acts. */
export const userIdType = 'urn:gatehouse:params:oauth:token-type:user-id'

/** Parameters of the grant (RFC 8693, section 2.1). Only `resource` may be repeated; it then leads to invalid_target. */
export const parameters: readonly string[] = [
  ...['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type', 'requested_token_type'],
  ...['resource', 'audience', 'scope'],
]

type Sent = Readonly<Record<string, unknown>>

/** Problem of a malformed request, or undefined. */
export const requestProblem = (params: Sent): string | undefined => {
  const has = (name: string) => params[name] !== undefined && params[name] !== ''
  for (const name of ['subject_token', 'subject_token_type']) if (!has(name)) return `${name} is required`
  for (const name of ['subject_token_type', 'actor_token_type', 'requested_token_type'])
    if (has(name) && !accepted.includes(String(params[name])) && !(name === 'subject_token_type' && params[name] === userIdType))
      return `${name} must be ${accepted.join(' or ')}: other tokens are not exchanged here`
  if (has('actor_token') !== has('actor_token_type')) return 'actor_token and actor_token_type come together'
  if (params['subject_token_type'] === userIdType && !has('actor_token')) return 'actor_token of the administrator is required'
  return undefined
}

/** The acting party, with earlier ones in `act` (RFC 8693, section 4.1). */
export interface Actor {
  readonly sub: string
  readonly act?: Actor
}

/** More parties than a real chain of services has. */
const mostActors = 8

const depthOf = (actor: Actor | undefined): number => (actor === undefined ? 0 : 1 + depthOf(actor.act))

/** What the row of an exchanged token says of the chain that it came by. */
interface Chain {
  /** The application that the person gave the first token to. */
  readonly through?: string | undefined
  readonly extra?: { readonly act?: Actor } | undefined
  readonly impersonation?: object | undefined
}

const namesOf = (actor: Actor | undefined): readonly string[] => (actor === undefined ? [] : [actor.sub, ...namesOf(actor.act)])

/** The applications by which a token came about. The last actor of an impersonation is the administrator. */
export const applicationsOf = ({ through, extra, impersonation }: Chain): readonly string[] => {
  const actors = namesOf(extra?.act)
  return [...(through === undefined ? [] : [through]), ...(impersonation === undefined ? actors : actors.slice(0, -1))]
}

/** The chain with another identifier for its first actor. */
const beginningWith = (sub: string, { act, ...actor }: Actor): Actor =>
  act === undefined ? { sub } : { ...actor, act: beginningWith(sub, act) }

/**
 * The actors of the new token; undefined where the chain is too long. Clients have their ids. `person` is the administrator at the
 * beginning of the chain, as the new client knows them: their identifier for an earlier client stays private.
 */
export const actorsOf = (sub: string, before: Actor | undefined, person: string | undefined): Actor | undefined => {
  if (depthOf(before) >= mostActors) return undefined
  if (before === undefined) return { sub }
  return { sub, act: person === undefined ? before : beginningWith(person, before) }
}

/** Scopes that exchanged tokens never have: the identity of the sign-in, and access without an end. */
const ofSignIn = ['openid', 'offline_access']

interface Subject {
  readonly scopes: readonly string[]
  readonly audience: string
  /** The scopes of earlier tokens of the chain, by audience. */
  readonly before: Readonly<Record<string, readonly string[]>>
}

/**
 * The scopes of the new token: the requested ones that the application may have at the target and the subject's token allows. Scopes of
 * this server come only from the subject's token. Where the chain has been at the target before, its scopes there are the limit. Without
 * a request, the scopes of the subject's token with the same names. `refused` are requested but not allowed.
 */
export const exchangedScopes = (
  asked: readonly string[] | undefined,
  { scopes, audience, before }: Subject,
  { identifier, ofApi, own }: { readonly identifier: string; readonly ofApi: readonly string[]; readonly own: readonly string[] },
): { readonly scopes: readonly string[]; readonly refused: readonly string[] } => {
  const bound = audience === identifier ? scopes : before[identifier]
  const fromApi = bound === undefined ? ofApi : ofApi.filter((scope) => bound.includes(scope))
  const fromOwn = scopes.filter((scope) => own.includes(scope) && !ofSignIn.includes(scope))
  const allowed = [...fromOwn, ...fromApi]
  if (asked === undefined) {
    const claims = missingScopes(fromOwn, standardScopes)
    return { scopes: [...claims, ...fromApi.filter((scope) => scopes.includes(scope))], refused: [] }
  }
  return { scopes: allowed.filter((scope) => asked.includes(scope)), refused: missingScopes(asked, allowed) }
}
