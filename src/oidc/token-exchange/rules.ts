import { missingScopes, standardScopes } from '../rules.ts'

/** The grant type of a token exchange (RFC 8693). */
export const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange'

const types = 'urn:ietf:params:oauth:token-type'
export const accessTokenType = `${types}:access_token`
/** The token type for access tokens of this server that are JWTs. JWTs of other issuers are refused. */
export const jwtType = `${types}:jwt`
const accepted: readonly string[] = [accessTokenType, jwtType]
/** A token type that only this server knows. The token is the id of the user as whom an administrator wants to act. */
export const userIdType = 'urn:gatehouse:params:oauth:token-type:user-id'

/**
 * The parameters of a token exchange (RFC 8693, section 2.1). Only `resource` may be repeated; more than one resource leads to
 * invalid_target.
 */
export const parameters: readonly string[] = [
  ...['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type', 'requested_token_type'],
  ...['resource', 'audience', 'scope'],
]

type Sent = Readonly<Record<string, unknown>>

/** Returns the problem of a malformed request; undefined if there is none. */
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

/** The claim `act`: the party that acts for the person. Its own `act` names the party that acted before (RFC 8693, section 4.1). */
export interface Actor {
  readonly sub: string
  readonly act?: Actor
}

/** The largest number of parties in a chain of exchanges. Real chains of services are shorter. */
const mostActors = 8

const depthOf = (actor: Actor | undefined): number => (actor === undefined ? 0 : 1 + depthOf(actor.act))

/** The facts about a chain of exchanges that are read from the row of an exchanged token. */
interface Chain {
  /** The client id of the application to which the person has signed in. */
  readonly through?: string | undefined
  readonly extra?: { readonly act?: Actor } | undefined
  readonly impersonation?: object | undefined
}

const namesOf = (actor: Actor | undefined): readonly string[] => (actor === undefined ? [] : [actor.sub, ...namesOf(actor.act)])

/**
 * The ids of the applications in the chain of exchanges that led to a token. In an impersonation the first actor is the administrator;
 * the administrator is left out.
 */
export const applicationsOf = ({ through, extra, impersonation }: Chain): readonly string[] => {
  const actors = namesOf(extra?.act)
  return [...(through === undefined ? [] : [through]), ...(impersonation === undefined ? actors : actors.slice(0, -1))]
}

/** Replaces the identifier of the first party of a chain. The first party is the innermost `act`. */
const beginningWith = (sub: string, { act, ...actor }: Actor): Actor =>
  act === undefined ? { sub } : { ...actor, act: beginningWith(sub, act) }

/**
 * The parties that act with the new token; undefined if the chain is too long. Clients are named by their ids. If the chain began with an
 * administrator, `person` is the `sub` of the administrator for the new client, because a `sub` for an earlier client must not be passed
 * on.
 */
export const actorsOf = (sub: string, before: Actor | undefined, person: string | undefined): Actor | undefined => {
  if (depthOf(before) >= mostActors) return undefined
  if (before === undefined) return { sub }
  return { sub, act: person === undefined ? before : beginningWith(person, before) }
}

/** Scopes that exchanged tokens never have, because they stand for a sign-in and for access without an end. */
const ofSignIn = ['openid', 'offline_access']

interface Subject {
  readonly scopes: readonly string[]
  readonly audience: string
  /** The scopes of the earlier tokens in the chain of exchanges, by audience. */
  readonly before: Readonly<Record<string, readonly string[]>>
}

/**
 * The scopes of the new token. It gets a scope if the scope is requested, the application may have it at the target API, and the subject
 * token allows it. Scopes of this server are copied from the subject token. If an earlier token of the chain was for the target API, the
 * new token gets no other scopes of that API than the earlier token had. If no scopes are requested, the new token gets the scopes whose
 * names the subject token has too. `refused` lists scopes that are requested and not allowed.
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
