import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JWK } from 'jose'
import type { Provider } from 'oidc-provider'
import { acrValues } from '../../core/authentication-classes.ts'
import type { Core } from '../../core/core.ts'
import type { Clients } from '../clients/service.ts'
import { nextChange, publishedKeys } from '../keys/rules.ts'
import type { Keys, SigningKey } from '../keys/service.ts'
import type { ResourceServers } from '../resource-servers/service.ts'
import { claimScopes, createAccount, selectAccount, standardScopes } from '../rules.ts'
import { readVersion } from '../store.ts'
import { type PreparedDocument, prepareDocuments } from './documents.ts'
import { createProvider, type ProviderDeps } from './provider.ts'
import { resourceDocuments } from './resources.ts'

/** The library's provider with the keys that are published now, and the public documents about them. */
export interface CurrentProvider {
  readonly provider: Provider
  readonly handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>
  readonly documents: ReadonlyMap<string, PreparedDocument>
  readonly publicKeys: readonly JWK[]
}

export interface ProviderManager {
  /** The provider as it is now. It signs with a new key from the first request after the key's `signsFrom`. */
  current(): Promise<CurrentProvider>
  /** Reads clients and keys again. Called after a change on another node. */
  refresh(): Promise<void>
}

interface Deps extends Pick<Core, 'db' | 'clock'>, ProviderDeps {
  readonly clients: Clients
  readonly keys: Keys
  readonly apis: ResourceServers
}

interface Loaded {
  readonly version: number
  readonly keys: readonly SigningKey[]
}

/** Makes a new provider whenever the version in the database has increased, and whenever a key starts to sign or retires. */
export const createProviderManager = (deps: Deps): ProviderManager => {
  const { db, clock, clients, keys, config, issuer, claims } = deps
  const offered = {
    scopes: [...standardScopes, ...claimScopes(claims)],
    claims: [...claims.byScope.values()].flat(),
    registration: config.registration !== 'off',
    metadataDocuments: config.clientMetadataDocuments !== 'off',
    resources: resourceDocuments(issuer, deps.resources),
    // Only registered prompt values are listed, because some client libraries refuse a document with other values. `select_organization`
    // is therefore accepted, but not listed.
    prompts: ['login', 'consent', selectAccount, ...(deps.isSignUpOpen ? [createAccount] : [])],
  }
  let loaded: Promise<Loaded> | undefined
  let built: { readonly from: Loaded; readonly until: number; readonly current: CurrentProvider } | undefined

  const read = async (): Promise<Loaded> => {
    // The version is read before clients and keys. If clients or keys change between the two reads, the next comparison of versions loads
    // the provider again.
    const version = await readVersion(db)
    return { version, keys: await keys.load(db) }
  }
  const load = async (): Promise<Loaded> => {
    await keys.ensure()
    return read()
  }

  const build = (from: Loaded): CurrentProvider => {
    const now = clock.now()
    const published = publishedKeys(from.keys, now)
    const provider = createProvider(
      deps,
      published.map((key) => key.privateKey),
    )
    const publicKeys = published.map((key) => key.publicKey)
    const offers = { ...offered, acrValues: acrValues.filter(deps.isReachable) }
    const documents = prepareDocuments(issuer, offers, publicKeys, config.documentCacheSeconds)
    const current: CurrentProvider = { provider, handle: provider.callback(), documents, publicKeys }
    built = { from, until: nextChange(from.keys, now)?.getTime() ?? Number.POSITIVE_INFINITY, current }
    return current
  }

  return {
    current: async () => {
      loaded ??= load().catch((error: unknown) => {
        loaded = undefined
        throw error
      })
      const from = await loaded
      return built !== undefined && built.from === from && clock.now().getTime() < built.until ? built.current : build(from)
    },
    refresh: async () => {
      if (loaded === undefined) return
      const { version } = await loaded
      if ((await readVersion(db)) === version) return
      // The clients in memory are forgotten after the read, so that none of them is older than this version. They are also forgotten if a
      // key cannot be opened because another node has a newer secret: a disabled client must not stay in memory.
      const fresh = await read().finally(() => {
        clients.forget()
        deps.apis.forget()
      })
      loaded = Promise.resolve(fresh)
    },
  }
}
