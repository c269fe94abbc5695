import { can } from '../../access/can.ts'
import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { hmacSha256, isSealed, safeEqual, sha256 } from '../../core/crypto.ts'
import { afterCommit, type Tx, uniqueViolation } from '../../core/db/database.ts'
import { coreErrors } from '../../core/errors.ts'
import { daySeconds, hourSeconds } from '../../core/time.ts'
import type { OidcConfig } from '../config.ts'
import { oidcErrors } from '../contract.ts'
import { oidcEvents } from '../events.ts'
import type { FurtherMetadata, Metadata, Registrant } from '../metadata/contract.ts'
import { isAllowed, isDocumentId } from '../metadata/document-id.ts'
import {
  allowedScopes,
  type ClientType,
  commandLineId,
  furtherFields,
  isPublic,
  needsPkce,
  newFurther,
  scopesFor,
  splitScope,
  standardScopes,
} from '../rules.ts'
import { raiseVersion } from '../store.ts'
import { requireInSector, type Sectors } from '../subjects/sectors.ts'
import { createUsage } from '../usage.ts'
import { type Application, toApplication } from './application.ts'
import { checkPermissions } from './permissions.ts'
import {
  checkMetadata,
  clientIdProblem,
  defaultsOf,
  definedOf,
  hasSecret,
  invalidMetadata,
  isOfOperatorOrApproved,
  requireSecret,
  stateOf,
} from './rules.ts'
import { createSecretMaker } from './secret-maker.ts'
import * as store from './store.ts'

/** A valid secret, with the facts that the token endpoint needs. */
export interface LiveSecret {
  readonly id: string
  /** The SHA-256 of the secret. */
  readonly hash: string
  /** The secret itself, if it signs ID tokens (HS256); otherwise undefined. */
  readonly plain: string | undefined
  readonly expiresAt: Date | null
}

/** A registered client with its valid secrets and its scopes. */
export interface Client extends store.ClientRow {
  /** The valid secrets; the newest comes first. The list of a public client is empty. */
  readonly secrets: readonly LiveSecret[]
  /** The scopes that the client may request now. */
  readonly scopes: readonly string[]
}

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined }

/**
 * The metadata of a client to register. Absent fields get the defaults of `register-client`. Absent scopes stand for all scopes of the
 * client's type.
 */
export interface NewClient extends Given<Omit<Metadata, 'name' | 'redirectUris' | 'scopes'>> {
  readonly name: string
  readonly type: ClientType
  readonly redirectUris: readonly string[]
  readonly scope?: readonly string[] | undefined
  /** A client id that the operator chooses, for an application whose configuration already has this id. By default the id is random. */
  readonly clientId?: string | undefined
  /** A secret that the operator chooses. By default the secret is random. */
  readonly secret?: string | undefined
}

/** The circumstances of a registration, for registrations that do not go through `register`. */
export interface Enrolment {
  readonly by: Registrant
  readonly registrantId: string | null
  readonly grantTypes?: FurtherMetadata['grantTypes']
  /** The SHA-256 of the registration access token. The client manages itself with that token. */
  readonly registrationToken?: string
  /** Called first in the transaction of the registration. If it throws, the client is not registered. */
  readonly admit?: (tx: Tx) => Promise<void>
  /** The `client_id` of a client that is built into gatehouse. */
  readonly builtInId?: string
  /** The URL of the metadata document that describes the client. This URL is also the client's `client_id`. */
  readonly documentId?: string
  /** Called in the transaction of the registration, after the row of the client was inserted. */
  readonly complete?: (tx: Tx, id: string) => Promise<void>
}

export interface RegisteredClient {
  readonly client: Application
  /** The secret of the client; undefined for public clients. It is shown only once. */
  readonly secret: string | undefined
}

export interface ClientScopes {
  readonly client: { readonly clientId: string; readonly name: string } | undefined
  readonly scopes: readonly string[]
}

export interface Clients {
  /** Finds a client by its `client_id`, even a disabled one. A client that was read once comes from memory. */
  find(clientId: string): Promise<Client | undefined>
  /**
   * Returns the valid secret of the client that equals `secret`, and notes its use. Returns undefined for a wrong secret. A right and a
   * wrong secret take the same time.
   */
  authenticate(client: Client, secret: string): LiveSecret | undefined
  /**
   * Returns the valid secret with which the client has signed an assertion (HS256), and notes its use. The caller has checked the claims
   * of the assertion.
   */
  noteSigned(client: Client, assertion: string): LiveSecret | undefined
  /** Returns the scopes whose claims a client may get. Without `clientId`, returns all scopes of this installation. Throws CLIENT_NOT_FOUND. */
  scopesOf(clientId: string | undefined): Promise<ClientScopes>
  /**
   * Registers a client. Throws INVALID_REDIRECT_URI, REDIRECT_URI_IS_REQUIRED, INVALID_SCOPE, INVALID_CLIENT_METADATA,
   * CLIENT_ID_IS_TAKEN, CLIENT_SECRET_IS_TOO_WEAK and YOU_CANNOT_GIVE_PERMISSIONS_THAT_YOU_DO_NOT_HAVE.
   */
  register(principal: Principal, client: NewClient, said?: Given<Pick<Enrolment, 'grantTypes'>>): Promise<RegisteredClient>
  /** Registers a client; the caller has checked the permission. Throws the errors of `register` and of `Enrolment.admit`. */
  enrol(principal: Principal, client: NewClient, enrolment: Enrolment): Promise<RegisteredClient>
  /**
   * Tells every node to read its clients anew. The caller calls it in the transaction of a change. This node reads its clients anew after
   * the commit.
   */
  changed(tx: Tx): Promise<void>
  /** Removes all clients from memory, because another node has changed a client. */
  forget(): void
  /** Notes the time at which a person has signed in to the client without PKCE. */
  noteWithoutPkce(clientId: string): void
  /**
   * At most 20 clients that had sign-ins without PKCE in the last days although PKCE is not required of them. The client with the latest
   * such sign-in comes first.
   */
  withoutPkce(): Promise<readonly store.ClientRow[]>
  /** Stores the noted times: of the last use of each secret, and of the last sign-in without PKCE of each client. */
  flushUsage(): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'secrets' | 'signals' | 'events' | 'url'> {
  readonly config: OidcConfig
  readonly sourceScopes: readonly string[]
  readonly sectors: Pick<Sectors, 'read'>
}

/** The id of the application, API key or job that acts; null for a command of the command line. */
const actorOf = (principal: Principal): string | null => ('actorId' in principal ? (principal.actorId ?? null) : null)

/** Seconds after a sign-in without PKCE for which administrators are advised that the application should use PKCE. */
const adviceSeconds = 7 * daySeconds

/** The largest number of clients in memory. At this number all clients are removed from memory. */
const maxInMemory = 10_000

const openSecret = ({ secrets }: Deps, { id, oauthClientId, secret, expiresAt }: store.SecretRow): LiveSecret => {
  const plain = isSealed(secret) ? secrets.open(secret, store.contextOf(oauthClientId)) : undefined
  return { id, hash: plain === undefined ? secret : sha256(plain), plain, expiresAt }
}

const open = (deps: Deps, row: store.ClientRow, rows: readonly store.SecretRow[]): Client => ({
  ...row,
  scopes: allowedScopes(row, deps.sourceScopes),
  secrets: rows
    .filter((secret) => stateOf(secret, deps.clock.now()) !== 'ended')
    .map((secret) => openSecret(deps, secret))
    .reverse(),
})

const enrolClient =
  (
    { transact, clock, random, events, url, config, sourceScopes, sectors }: Deps,
    maker: ReturnType<typeof createSecretMaker>,
    changed: Clients['changed'],
  ): Clients['enrol'] =>
  async (principal, given, enrolment) => {
    const input = {
      ...defaultsOf(given.profile),
      ...definedOf(given),
      redirectUris: given.redirectUris,
      name: given.name,
      type: given.type,
    }
    const { type, skipConsent = false, understandsAct = false } = input
    const canSignBySecret = hasSecret({ type, authMethod: input.authMethod ?? null })
    const metadata = {
      name: input.name,
      type,
      redirectUris: [...new Set(input.redirectUris)],
      postLogoutRedirectUris: [...new Set(input.postLogoutRedirectUris)],
      webOrigins: [...new Set(input.webOrigins)],
      scope: input.scope && [...new Set(input.scope.flatMap(splitScope))],
      idTokenAlg: input.idTokenAlg ?? (canSignBySecret || config.idTokenAlg !== 'HS256' ? config.idTokenAlg : 'RS256'),
      ...{ pkce: input.pkce ?? null, icon: input.icon ?? null, uri: input.uri ?? null },
      color: input.color ?? null,
      ...{ policyUri: input.policyUri ?? null, tosUri: input.tosUri ?? null, requireAcr: input.requireAcr ?? null },
    } as const
    const further = { ...newFurther, ...definedOf(Object.fromEntries(furtherFields.map((name) => [name, input[name]]))) }
    checkMetadata({ ...metadata, ...further }, sourceScopes)
    const isTrusted = isOfOperatorOrApproved({ registeredBy: enrolment.by, review: null })
    requireInSector({ ...metadata, ...further }, await sectors.read(further.sectorIdentifierUri, isTrusted))
    const permissions = checkPermissions(principal, type, input.permissions ?? [])
    const { redirectUris, postLogoutRedirectUris, scope = scopesFor(type, sourceScopes), ...same } = metadata
    const clientId = enrolment.builtInId ?? enrolment.documentId ?? input.clientId ?? random.token(32)
    const isGiven = (enrolment.builtInId ?? enrolment.documentId) !== undefined
    const problem = isGiven ? undefined : clientIdProblem(clientId)
    if (problem !== undefined) throw invalidMetadata(`client id ${problem}`)
    const now = clock.now()
    const row: store.ClientRow = {
      ...same,
      id: random.id(),
      clientId,
      nameKey: same.name.toLowerCase(),
      metadata: { ...further, grantTypes: enrolment.grantTypes ?? null },
      ...{ logoImage: null, logoSource: null, logoProblem: null },
      redirectUrls: redirectUris,
      postLogoutRedirectUrls: postLogoutRedirectUris,
      scope: scope.join(' '),
      skipConsent,
      understandsAct,
      disabled: false,
      permissions,
      unknownScopes: input.unknownScopes ?? null,
      withoutPkceAt: null,
      // A request with an initial access token may also carry the session cookie of a browser. The person of that session has not
      // registered the client.
      userId: 'user' in principal && enrolment.by !== 'initial-access-token' ? principal.user.id : null,
      ...{ registeredBy: enrolment.by, registrantId: enrolment.registrantId, review: null },
      registrationToken: enrolment.registrationToken ?? null,
      createdAt: now,
      updatedAt: now,
    }
    const client = { type, authMethod: further.authMethod }
    if (input.secret !== undefined) requireSecret(client)
    const made = hasSecret(client) ? maker.make(row, 1, input.secret) : undefined
    await transact(async (tx) => {
      await enrolment.admit?.(tx)
      try {
        await store.insertClient(tx, row)
      } catch (error) {
        if (uniqueViolation(error) !== undefined) throw oidcErrors.error('CLIENT_ID_IS_TAKEN')
        throw error
      }
      if (made !== undefined) await store.insertSecret(tx, made.row)
      await enrolment.complete?.(tx, row.id)
      const { by: registeredBy, registrantId } = enrolment
      const data = { type, skipConsent, permissions: [...permissions], registeredBy, registrantId }
      await events.record(tx, principal, oidcEvents['client.created'], { subject: row.clientId, data })
      await changed(tx)
    })
    return { client: toApplication(row, url), secret: made?.secret }
  }

const registerClient =
  (enrol: Clients['enrol']): Clients['register'] =>
  async (principal, input, said = {}) => {
    if (!can(principal, 'clients:create')) throw coreErrors.error('FORBIDDEN')
    const registrantId = principal.kind === 'user' ? principal.user.id : actorOf(principal)
    return enrol(principal, input, {
      ...definedOf(said),
      by: principal.kind === 'api-key' ? 'api-key' : 'administrator',
      registrantId,
    })
  }

export const createClients = (deps: Deps): Clients => {
  const { db, clock, signals, config, sourceScopes } = deps
  const known = new Map<string, Client>()
  /** Increases whenever clients are removed from memory. A read that started before then does not put its outdated client into memory. */
  let generation = 0
  const usage = createUsage(deps, { everyMs: 5 * 60_000, write: store.noteUse })
  const withoutPkce = createUsage(deps, { everyMs: hourSeconds * 1000, write: store.noteWithoutPkce })
  const maker = createSecretMaker(deps)

  const forget = () => {
    known.clear()
    generation += 1
  }
  const changed = async (tx: Tx) => {
    await raiseVersion(tx, signals)
    afterCommit(tx, forget)
  }

  const find: Clients['find'] = async (clientId) => {
    // The setting for metadata documents may have changed since this document was read. The client is then unknown and its tokens are
    // invalid.
    if (isDocumentId(clientId) && !isAllowed(config, clientId)) return undefined
    if (clientId === commandLineId && !config.commandLine) return undefined
    const inMemory = known.get(clientId)
    // If a secret of the client in memory has ended, the client is read again without that secret. The library caches by client object,
    // so the client has to be a new object.
    if (inMemory?.secrets.every((secret) => stateOf(secret, clock.now()) !== 'ended') === true) return inMemory
    const startedIn = generation
    const row = await store.findClient(db, clientId)
    if (row === undefined) return undefined
    const client = open(deps, row, isPublic(row.type) ? [] : await store.listSecrets(db, row.id))
    if (known.size >= maxInMemory) known.clear()
    if (startedIn === generation) known.set(clientId, client)
    return client
  }

  const enrol = enrolClient(deps, maker, changed)

  return {
    forget,
    changed,
    find,
    enrol,
    noteWithoutPkce: withoutPkce.note,
    withoutPkce: async () => {
      const found = await store.listWithoutPkce(db, clock.after(-adviceSeconds), 20)
      return found.filter((client) => !client.disabled && !needsPkce(client, config.requirePkce))
    },
    flushUsage: async () => {
      await usage.flush()
      await withoutPkce.flush()
    },
    scopesOf: async (clientId) => {
      if (clientId === undefined)
        return { client: undefined, scopes: [...standardScopes.filter((scope) => scope !== 'offline_access'), ...sourceScopes] }
      const client = await find(clientId)
      if (client === undefined) throw oidcErrors.error('CLIENT_NOT_FOUND')
      return { client: { clientId: client.clientId, name: client.name }, scopes: splitScope(client.scope) }
    },
    authenticate: (client, secret) => {
      const hash = sha256(secret)
      const [match] = client.secrets.filter((known) => safeEqual(known.hash, hash))
      if (match === undefined || stateOf(match, clock.now()) === 'ended') return undefined
      usage.note(match.id)
      return match
    },
    noteSigned: (client, assertion) => {
      const at = assertion.lastIndexOf('.')
      const [signed, signature] = [assertion.slice(0, at), Buffer.from(assertion.slice(at + 1), 'base64url').toString('base64')]
      const match = client.secrets.find(
        ({ plain }) => plain !== undefined && safeEqual(hmacSha256(Buffer.from(plain))(signed), signature),
      )
      if (match !== undefined) usage.note(match.id)
      return match
    },
    register: registerClient(enrol),
  }
}
