import { can } from '../../access/can.ts'
import { isImpersonated, type Principal } from '../../access/principal.ts'
import { splitRoles } from '../../access/roles.ts'
import type { Sessions } from '../../authentication/sessions/index.ts'
import type { Core } from '../../core/core.ts'
import { safeEqual, sha256 } from '../../core/crypto.ts'
import { lockName, type Tx } from '../../core/db/database.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import type { RequestContext } from '../../core/request-context.ts'
import { hourSeconds } from '../../core/time.ts'
import type { RateLimits } from '../../limits/index.ts'
import { toApplication } from '../clients/application.ts'
import type { Applications } from '../clients/applications.ts'
import type { ClientLogos } from '../clients/logos.ts'
import { hasSecret, isOfOperatorOrApproved } from '../clients/rules.ts'
import type { Clients, Enrolment } from '../clients/service.ts'
import * as clientStore from '../clients/store.ts'
import type { OidcConfig } from '../config.ts'
import type { InitialAccessTokens } from '../initial-access-tokens/service.ts'
import { isPublic } from '../rules.ts'
import type { Sectors } from '../subjects/sectors.ts'
import { registrationErrors } from './contract.ts'
import { defaultScopes, readMetadata, type Sent, type SentMetadata, writeMetadata } from './rules.ts'

/** The answer to a registration, called client information (RFC 7591, section 3.2.1; RFC 7592, section 3). */
export type Information = Readonly<Record<string, unknown>> & {
  readonly client_id: string
  readonly client_id_issued_at: number
  readonly registration_client_uri: string
  readonly registration_access_token: string
}

/** The caller of a request, with the token that the request carries. */
export interface Call {
  readonly token: string | undefined
  /** The key of the caller's network for rate limits. */
  readonly networkKey: string
}

/** Lets clients register, and lets registered clients manage themselves. */
export interface Registration {
  /**
   * Registers a client. Throws AUTHENTICATION_REQUIRED_FOR_CLIENT_REGISTRATION, CLIENT_REGISTRATION_NOT_ALLOWED, INVALID_REGISTRATION,
   * INVALID_REGISTERED_ADDRESS, TOO_MANY_REGISTRATIONS and TOO_MANY_UNKNOWN_CLIENTS.
   */
  register(principal: Principal, call: Call, sent: Sent): Promise<Information>
  /** Reads the metadata of a client. Throws REGISTRATION_TOKEN_IS_INVALID, also if the client is unknown. */
  read(clientId: string, token: string | undefined): Promise<Information>
  /**
   * Replaces all metadata of a client, and its registration access token. Throws the errors of `read`, the errors of `register` about
   * metadata, and TOO_MANY_REGISTRATIONS.
   */
  replace(context: RequestContext, clientId: string, call: Call, sent: Sent): Promise<Information>
  /** Deletes the client with its codes, tokens and consents. Throws the errors of `read`. */
  remove(context: RequestContext, clientId: string, token: string | undefined): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'random' | 'url'> {
  readonly config: OidcConfig
  readonly clients: Clients
  readonly applications: Pick<Applications, 'replaceAsClient' | 'removeAsClient'>
  readonly clientLogos: Pick<ClientLogos, 'fetch'>
  readonly tokens: InitialAccessTokens
  readonly sectors: Pick<Sectors, 'read'>
  readonly sessions: Pick<Sessions, 'requireAlive'>
  /** Undefined if limits are disabled. */
  readonly rateLimits: RateLimits | undefined
}

/** Who registers a client, and the limits that apply. */
interface Admission extends Pick<Enrolment, 'by' | 'registrantId' | 'admit'> {
  /** The key for rate limits; undefined if the registrant has another limit. */
  readonly limitKey?: string
  /** True if an initial access token was sent. Unknown registrants and people cannot register machines. */
  readonly mayHaveMachines?: boolean
  /** Returns the scopes that the client gets. Throws for metadata that the registrant may not set. */
  readonly scopesFor?: (sent: SentMetadata) => readonly string[]
}

const { error } = registrationErrors

const keyOfPerson = (id: string) => `person:${id}`
const keyOfNetwork = (networkKey: string) => `network:${networkKey}`
/** The key for the rate limit on updates of a client. Updates are limited because each update records an event. */
const updateKey = ({ id, registeredBy, registrantId }: clientStore.ClientRow, networkKey: string): string => {
  if (registeredBy === 'person') return keyOfPerson(registrantId ?? '')
  return registeredBy === 'anonymous' ? keyOfNetwork(networkKey) : `client:${id}`
}

/** Turns errors about applications into the error codes of RFC 7591. */
const inFormOfOAuth = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown
    const { code, message } = thrown
    if (code === 'INVALID_REDIRECT_URI' || code === 'REDIRECT_URI_IS_REQUIRED')
      throw error('INVALID_REGISTERED_ADDRESS', { message })
    if (code === 'INVALID_SCOPE' || code === 'INVALID_CLIENT_METADATA') throw error('INVALID_REGISTRATION', { message })
    throw thrown
  }
}

/**
 * Lets registrations without a known registrant run only one after the other. Throws TOO_MANY_UNKNOWN_CLIENTS if there are already `max`
 * clients with an unknown registrant.
 */
export const requireRoom = async (tx: Tx, max: number): Promise<void> => {
  await lockName(tx, 'unknown-clients')
  if ((await clientStore.countUnreviewed(tx, max)) >= max)
    throw error('TOO_MANY_UNKNOWN_CLIENTS', { retryAfterSeconds: hourSeconds })
}

const required = (message?: string) =>
  error('AUTHENTICATION_REQUIRED_FOR_CLIENT_REGISTRATION', message === undefined ? {} : { message })

const notAllowed = (message: string) =>
  error('CLIENT_REGISTRATION_NOT_ALLOWED', { message: `Client registration not allowed: ${message}` })

const admitPerson = ({ config, sessions }: Deps, principal: Principal & { readonly kind: 'user' }): Admission => {
  const { user, session } = principal
  const asked: Admission = {
    ...{ by: 'person', registrantId: user.id, limitKey: keyOfPerson(user.id) },
    admit: (tx) => sessions.requireAlive(tx, principal),
  }
  if (isImpersonated(principal)) throw notAllowed('nobody registers clients in the name of somebody else')
  if (can(principal, 'clients:create')) return { ...asked, mayHaveMachines: true }
  if (session.lacksSecondFactor) throw notAllowed('a second factor is required of you first')
  if (config.registrationPeople === 'nobody') throw notAllowed('an administrator registers clients here')
  if (config.registrationPeople === 'verified' && !user.emailVerified) throw notAllowed('verify your email address first')
  const { registrationRoles: roles } = config
  if (roles.length > 0 && !splitRoles(user.role).some((role) => roles.includes(role)))
    throw notAllowed('your role does not include it')
  return asked
}

/** A bearer token that is not the token of a session is read as an initial access token. */
const admitToken = async ({ tokens }: Deps, token: string): Promise<Admission> => {
  const found = await tokens.find(token)
  if (found === undefined) throw required('The token is unknown, used up, revoked or expired')
  return {
    ...{ by: 'initial-access-token', registrantId: found.id, mayHaveMachines: true },
    scopesFor: (sent) => tokens.check(found, sent),
    admit: async (tx) => {
      if (!(await tokens.take(tx, found.id))) throw required('The token is used up, revoked or expired')
    },
  }
}

const admitStranger = ({ config }: Deps, { networkKey }: Call): Admission => {
  if (config.registration !== 'open') throw required()
  return {
    ...{ by: 'anonymous', registrantId: null, limitKey: keyOfNetwork(networkKey) },
    admit: (tx: Tx) => requireRoom(tx, config.registrationMaxUnknown),
  }
}

const admit = async (deps: Deps, principal: Principal, call: Call): Promise<Admission> => {
  const { config } = deps
  if (config.registration === 'off') throw notAllowed('clients do not register themselves here')
  const { token } = call
  if (principal.kind === 'api-key' || principal.kind === 'application') {
    if (!can(principal, 'clients:create')) throw notAllowed('the key lacks the permission clients:create')
    return { by: 'api-key', registrantId: principal.actorId, mayHaveMachines: true }
  }
  if (principal.kind === 'user' && (token === undefined || token === principal.session.token)) return admitPerson(deps, principal)
  return token === undefined ? admitStranger(deps, call) : admitToken(deps, token)
}

const countCall = async (
  { config, rateLimits }: Deps,
  what: 'registration' | 'registration-update',
  limitKey: string | undefined,
) => {
  if (limitKey === undefined || rateLimits === undefined) return
  const seconds = await rateLimits.limiter.hit(`${what}:${limitKey}`, config.registrationsPerHour, hourSeconds)
  if (seconds > 0) throw error('TOO_MANY_REGISTRATIONS', { retryAfterSeconds: seconds })
}

const information = ({ url }: Deps, row: clientStore.ClientRow, token: string): Information => ({
  ...(writeMetadata({ ...toApplication(row, url), grantTypes: row.metadata.grantTypes }) as Pick<
    Information,
    'client_id' | 'client_id_issued_at'
  >),
  registration_client_uri: `${url}/oauth2/register/${encodeURIComponent(row.clientId)}`,
  registration_access_token: token,
})

const isTokenOf = (row: clientStore.ClientRow | undefined, token: string | undefined): row is clientStore.ClientRow => {
  const known = row?.registrationToken ?? null
  return known !== null && token !== undefined && safeEqual(known, sha256(token))
}

const requireToken = (row: clientStore.ClientRow | undefined, token: string | undefined): clientStore.ClientRow => {
  if (!isTokenOf(row, token)) throw error('REGISTRATION_TOKEN_IS_INVALID')
  return row
}

/** The limits of an initial access token also apply to later changes of a client that was registered with it. */
const scopesOf = async ({ tokens }: Deps, tx: Tx, { registeredBy, registrantId }: clientStore.ClientRow, read: SentMetadata) => {
  if (registeredBy !== 'initial-access-token') return read.scopes ?? defaultScopes
  const token = await tokens.get(tx, registrantId ?? '')
  if (token === undefined) throw notAllowed('the initial access token that it was registered with is gone')
  return tokens.check(token, read)
}

/**
 * Fetches the logo of a client with a known registrant. The logo of any other client is fetched after an administrator has approved the
 * client, and an update ends the approval.
 */
const fetchLogo = async (
  { clientLogos }: Deps,
  principal: Principal,
  { clientId, icon, registeredBy }: Pick<clientStore.ClientRow, 'clientId' | 'icon' | 'registeredBy'>,
) => {
  if (icon !== null && registeredBy !== 'anonymous') await clientLogos.fetch(principal, clientId)
}

const asClient = (context: RequestContext, clientId: string) => ({ ...context, kind: 'application', actorId: clientId })

const registerClient = (deps: Deps): Registration['register'] => {
  const { db, random, clients } = deps
  return (principal, call, sent) =>
    inFormOfOAuth(async () => {
      const { limitKey, mayHaveMachines, scopesFor, ...admission } = await admit(deps, principal, call)
      await countCall(deps, 'registration', limitKey)
      const read = readMetadata(sent)
      if (read.type === 'machine' && mayHaveMachines !== true)
        throw notAllowed('clients that act for themselves (client_credentials) are registered by administrators')
      const { scopes, grantTypes, ...metadata } = read
      const registrationToken = random.token(32)
      const { client, secret } = await clients.enrol(
        principal,
        { ...metadata, scope: scopesFor?.(read) ?? scopes ?? defaultScopes, unknownScopes: 'ignore' },
        { ...admission, grantTypes, registrationToken: sha256(registrationToken) },
      )
      await fetchLogo(deps, principal, client)
      const row = await clientStore.findClient(db, client.clientId)
      if (row === undefined) throw coreErrors.error('INTERNAL_SERVER_ERROR')
      return {
        ...information(deps, row, registrationToken),
        ...(secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
      }
    })
}

const readClient =
  (deps: Deps): Registration['read'] =>
  async (clientId, token) => {
    const row = requireToken(await clientStore.findClient(deps.db, clientId), token)
    return information(deps, row, token ?? '')
  }

const replaceClient = (deps: Deps): Registration['replace'] => {
  const { db, transact, random, clients, applications } = deps
  return (context, clientId, { token, networkKey }, sent) =>
    inFormOfOAuth(async () => {
      const before = requireToken(await clientStore.findClient(db, clientId), token)
      await countCall(deps, 'registration-update', updateKey(before, networkKey))
      const { client_id: sentId, client_secret: secret, ...rest } = sent
      if (sentId !== clientId)
        throw error('INVALID_REGISTRATION', { message: 'Invalid client metadata: client_id must be that of the client' })
      const client = await clients.find(clientId)
      const isOwnSecret = typeof secret === 'string' && client !== undefined && clients.authenticate(client, secret) !== undefined
      if (secret !== undefined && !isOwnSecret)
        throw error('INVALID_REGISTRATION', { message: 'Invalid client metadata: client_secret is not that of the client' })
      const read = readMetadata(rest)
      const next = random.token(32)
      const sector = await deps.sectors.read(read.sectorIdentifierUri, isOfOperatorOrApproved(before))
      const changed = await transact(async (tx) => {
        // Another update may have replaced the registration access token meanwhile.
        const row = requireToken(await clientStore.lockClient(tx, clientId), token)
        if (row.disabled || row.review === 'restricted') throw notAllowed('an administrator has restricted this client')
        const isSwitch = row.type !== read.type && !(isPublic(row.type) && isPublic(read.type))
        if (isSwitch || hasSecret({ ...row, ...row.metadata }) !== hasSecret(read))
          throw error('INVALID_REGISTRATION', {
            message:
              'Invalid client metadata: whether a client has a secret, or is a machine, cannot change: register another one',
          })
        const scopes = await scopesOf(deps, tx, row, read)
        await applications.replaceAsClient(tx, asClient(context, clientId), row, { ...read, scopes }, sector)
        await clientStore.setRegistrationToken(tx, row.id, sha256(next))
        return clientStore.findClient(tx, clientId)
      })
      if (changed === undefined) throw error('REGISTRATION_TOKEN_IS_INVALID')
      if (changed.icon !== before.icon) await fetchLogo(deps, { ...context, kind: 'anonymous' }, changed)
      return information(deps, changed, next)
    })
}

const removeClient =
  ({ transact, applications }: Deps): Registration['remove'] =>
  (context, clientId, token) =>
    transact(async (tx) => {
      const row = requireToken(await clientStore.lockClient(tx, clientId), token)
      await applications.removeAsClient(tx, asClient(context, clientId), row)
    })

export const createRegistration = (deps: Deps): Registration => {
  return {
    register: registerClient(deps),
    read: readClient(deps),
    replace: replaceClient(deps),
    remove: removeClient(deps),
  }
}
