import { missingScopes, standardScopes } from '../rules.ts'

/** The grant type (RFC 8693). */
export const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange'

const types = 'urn:ietf:params:oauth:token-type'
export const accessTokenType = `${types}:access_token`
/** The type of access tokens of this server that are JWTs. Other JWTs are refused. */
export const jwtType = `${types}:jwt`
const accepted: readonly string[] = [accessTokenType, jwtType]
/** A token type that only this server knows: the id of a user as whom an administrator acts. */
export const userIdType = 'urn:gatehouse:params:oauth:token-type:user-id'

/** The parameters of the grant (RFC 8693, section 2.1). Only `resource` may be repeated, and that leads to invalid_target. */
export const parameters: readonly string[] = [
  ...['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type', 'requested_token_type'],
  ...['resource', 'audience', 'scope'],
]

type Sent = Readonly<Record<string, unknown>>

/** Returns the problem of a malformed request, and undefined if there is none. */
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

/** The party that acts. `act` contains the earlier parties (RFC 8693, section 4.1). */
export interface Actor {
  readonly sub: string
  readonly act?: Actor
}

/** The largest number of parties. A real chain of services is shorter. */
const mostActors = 8

const depthOf = (actor: Actor | undefined): number => (actor === undefined ? 0 : 1 + depthOf(actor.act))

/** The facts about the chain of exchanges that the row of an exchanged token contains. */
interface Chain {
  /** The application to which the person has given the first token. */
  readonly through?: string | undefined
  readonly extra?: { readonly act?: Actor } | undefined
  readonly impersonation?: object | undefined
}

const namesOf = (actor: Actor | undefined): readonly string[] => (actor === undefined ? [] : [actor.sub, ...namesOf(actor.act)])

/** The applications through which a token has come about. In an impersonation, the last actor is the administrator, who is left out. */
export const applicationsOf = ({ through, extra, impersonation }: Chain): readonly string[] => {
  const actors = namesOf(extra?.act)
  return [...(through === undefined ? [] : [through]), ...(impersonation === undefined ? actors : actors.slice(0, -1))]
}

/** The chain with another identifier for its first actor. */
const beginningWith = (sub: string, { act, ...actor }: Actor): Actor =>
  act === undefined ? { sub } : { ...actor, act: beginningWith(sub, act) }

/**
 * The actors of the new token; undefined if the chain is too long. Clients are named by their ids. `person` is the administrator at the
 * start of the chain, by the identifier under which the new client knows them. An identifier for an earlier client stays private.
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
  /** The scopes of earlier tokens in the chain, by audience. */
  readonly before: Readonly<Record<string, readonly string[]>>
}

/**
 * The scopes of the new token. They are requested, the application may have them at the target, and the subject's token allows them.
 * Scopes of this server come only from the subject's token. If the chain has been at the target before, its scopes there are the limit.
 * If no scopes are requested, the new token gets the scopes that the subject's token has under the same names. `refused` lists the scopes
 * that are requested and not allowed.
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
