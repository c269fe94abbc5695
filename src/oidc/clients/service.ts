import type { SystemPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { isSealed, safeEqual, sha256 } from '../../core/crypto.ts'
import type { OidcConfig } from '../config.ts'
import { oidcErrors } from '../errors.ts'
import { oidcEvents } from '../events.ts'
import {
  type ClientType,
  type IdTokenAlg,
  isPublic,
  missingScopes,
  type PkceMode,
  redirectUriProblem,
  scopesFor,
  splitScope,
  standardScopes,
  webOriginProblem,
} from '../rules.ts'
import { raiseVersion } from '../store.ts'
import * as store from './store.ts'

/** An application that signs people in here. */
export type Client = Omit<store.ClientRow, 'clientSecret'> & {
  /** What the client's secret is compared with: its SHA-256, or for HS256 the secret itself, which also signs. Empty: public. */
  readonly secretOrHash: string
}

export interface NewClient {
  readonly name: string
  readonly type: ClientType
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris?: readonly string[]
  /** Origins whose pages may call the token and userinfo endpoints for it (`https://app.example.com`); none when absent. */
  readonly webOrigins?: readonly string[]
  /** Scopes it may ask for; all when absent. */
  readonly scope?: readonly string[]
  readonly idTokenAlg?: IdTokenAlg
  /** As `oidc.requirePkce` says when absent. */
  readonly pkce?: PkceMode
  readonly skipConsent?: boolean
  readonly icon?: string
  readonly uri?: string
}

export interface RegisteredClient {
  readonly client: Client
  /** Shown once; undefined for public clients. */
  readonly secret: string | undefined
}

export interface ClientScopes {
  readonly client: { readonly clientId: string; readonly name: string } | undefined
  readonly scopes: readonly string[]
}

export interface Clients {
  /** A client by its `client_id`, from memory when it was asked for before. Disabled ones too. */
  find(clientId: string): Promise<Client | undefined>
  /** True when the secret is the client's; takes the same time for every wrong one. */
  isSecret(client: Client, secret: string): boolean
  list(): Promise<Client[]>
  /**
   * The scopes whose claims a client may get, or all of this installation when it is undefined, for a client that may request every scope. Throws
   * CLIENT_NOT_FOUND.
   */
  scopesOf(clientId: string | undefined): Promise<ClientScopes>
  /** Throws INVALID_REDIRECT_URI, REDIRECT_URI_IS_REQUIRED, INVALID_SCOPE, INVALID_CLIENT_METADATA. */
  register(principal: SystemPrincipal, client: NewClient): Promise<RegisteredClient>
  /** Forgets what is in memory, because another node changed a client. */
  forget(): void
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'secrets' | 'signals' | 'events'> {
  readonly config: OidcConfig
  readonly sourceScopes: readonly string[]
}

const isSymmetric = (alg: IdTokenAlg) => alg === 'HS256'
/** Enough for every deployment seen; beyond it the memory starts anew. */
const maxInMemory = 10_000

const checkWebAddress = (name: string, value: string | undefined) => {
  if (value === undefined) return
  const problem = redirectUriProblem(value, 'web')
  if (problem !== undefined)
    throw oidcErrors.error('INVALID_CLIENT_METADATA', { message: `Invalid client metadata: ${name} ${problem}` })
}

export const createClients = ({ db, transact, clock, random, secrets, signals, events, config, sourceScopes }: Deps): Clients => {
  const known = new Map<string, Client>()
  /** Grows when memory is emptied, so that a read that started before does not bring an old client back. */
  let generation = 0

  const open = ({ clientSecret, ...row }: store.ClientRow): Client => ({
    ...row,
    secretOrHash:
      clientSecret === null ? '' : isSealed(clientSecret) ? secrets.open(clientSecret, store.contextOf(row.id)) : clientSecret,
  })
  const forget = () => {
    known.clear()
    generation += 1
  }

  const check = (input: NewClient, alg: IdTokenAlg) => {
    const { type, redirectUris, postLogoutRedirectUris = [], scope = [] } = input
    if (type !== 'machine' && redirectUris.length === 0) throw oidcErrors.error('REDIRECT_URI_IS_REQUIRED')
    if (type === 'machine' && redirectUris.length > 0)
      throw oidcErrors.error('INVALID_REDIRECT_URI', {
        message: 'Invalid redirect URI: a machine client signs nobody in and has none',
      })
    for (const uri of [...redirectUris, ...postLogoutRedirectUris]) {
      const problem = redirectUriProblem(uri, type)
      if (problem !== undefined)
        throw oidcErrors.error('INVALID_REDIRECT_URI', { message: `Invalid redirect URI: ${uri} ${problem}` })
    }
    for (const origin of input.webOrigins ?? []) {
      const problem = webOriginProblem(origin)
      if (problem !== undefined)
        throw oidcErrors.error('INVALID_CLIENT_METADATA', {
          message: `Invalid client metadata: web origin ${origin} ${problem}`,
        })
    }
    const allowed = scopesFor(type, sourceScopes)
    const unknown = missingScopes(scope.flatMap(splitScope), allowed)
    if (unknown.length > 0)
      throw oidcErrors.error('INVALID_SCOPE', {
        message: `Invalid scope: ${unknown.join(', ')}; there are ${allowed.join(', ')}`,
      })
    if (isSymmetric(alg) && isPublic(type))
      throw oidcErrors.error('INVALID_CLIENT_METADATA', {
        message: `Invalid client metadata: HS256 signs with the client secret, which a ${type} client does not have`,
      })
    if (input.pkce === 'optional' && isPublic(type))
      throw oidcErrors.error('INVALID_CLIENT_METADATA', {
        message: `Invalid client metadata: PKCE cannot be optional for a ${type} client, which has no secret in its place`,
      })
    checkWebAddress('icon', input.icon)
    checkWebAddress('uri', input.uri)
  }

  const find: Clients['find'] = async (clientId) => {
    const inMemory = known.get(clientId)
    if (inMemory !== undefined) return inMemory
    const startedIn = generation
    const row = await store.findClient(db, clientId)
    if (row === undefined) return undefined
    const client = open(row)
    if (known.size >= maxInMemory) known.clear()
    if (startedIn === generation) known.set(clientId, client)
    return client
  }

  return {
    forget,
    find,
    scopesOf: async (clientId) => {
      if (clientId === undefined)
        return { client: undefined, scopes: [...standardScopes.filter((scope) => scope !== 'offline_access'), ...sourceScopes] }
      const client = await find(clientId)
      if (client === undefined) throw oidcErrors.error('CLIENT_NOT_FOUND')
      return { client: { clientId: client.clientId, name: client.name }, scopes: splitScope(client.scope) }
    },
    isSecret: (client, secret) =>
      client.secretOrHash !== '' && safeEqual(client.secretOrHash, isSymmetric(client.idTokenAlg) ? secret : sha256(secret)),
    list: async () => (await store.listClients(db)).map(open),
    register: async (principal, input) => {
      const {
        name,
        type,
        redirectUris,
        postLogoutRedirectUris = [],
        webOrigins = [],
        skipConsent = false,
        pkce = null,
        icon = null,
        uri = null,
      } = input
      const idTokenAlg = input.idTokenAlg ?? (isPublic(type) && isSymmetric(config.idTokenAlg) ? 'RS256' : config.idTokenAlg)
      check(input, idTokenAlg)
      const id = random.id()
      const secret = isPublic(type) ? undefined : random.token(32)
      const stored =
        secret === undefined ? null : isSymmetric(idTokenAlg) ? secrets.seal(secret, store.contextOf(id)) : sha256(secret)
      const now = clock.now()
      const row: store.ClientRow = {
        id,
        clientId: random.token(32),
        name,
        icon,
        uri,
        policyUri: null,
        tosUri: null,
        metadata: null,
        clientSecret: stored,
        redirectUrls: [...new Set(redirectUris)],
        postLogoutRedirectUrls: [...new Set(postLogoutRedirectUris)],
        webOrigins: [...new Set(webOrigins)],
        type,
        scope: (input.scope === undefined ? scopesFor(type, sourceScopes) : [...new Set(input.scope.flatMap(splitScope))]).join(
          ' ',
        ),
        idTokenAlg,
        pkce,
        skipConsent,
        disabled: false,
        userId: null,
        createdAt: now,
        updatedAt: now,
      }
      await transact(async (tx) => {
        await store.insertClient(tx, row)
        const data = { type, skipConsent }
        await events.record(tx, principal, oidcEvents['client.created'], { subject: row.clientId, data })
        await raiseVersion(tx, signals)
      })
      return { client: open(row), secret }
    },
  }
}
