import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JWK } from 'jose'
import type { Provider } from 'oidc-provider'
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../core/database.ts'
import type { Clients } from '../clients/service.ts'
import { nextChange, publishedKeys } from '../keys/rules.ts'
import type { Keys, SigningKey } from '../keys/service.ts'
import { createAccount, selectAccount, selectOrganization, standardScopes } from '../rules.ts'
import { readVersion } from '../store.ts'
import { claimsByScope } from './claims.ts'
import { type PreparedDocument, prepareDocuments } from './documents.ts'
import { createProvider, type ProviderDeps } from './provider.ts'

/** The provider as it is now: for the keys of now. */
export interface Engine {
  readonly provider: Provider
  readonly handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>
  readonly documents: ReadonlyMap<string, PreparedDocument>
  readonly publicKeys: readonly JWK[]
}

export interface Live {
  /** The engine for this instant: a key whose time has come signs from the first request on, without anybody's doing. */
  engine(): Promise<Engine>
  /** Looks whether a node has changed clients or keys, and takes it over. */
  refresh(): Promise<void>
}

interface Deps extends ProviderDeps {
  readonly db: Db
  readonly clock: Clock
  readonly clients: Clients
  readonly keys: Keys
}

interface Loaded {
  readonly version: number
  readonly keys: readonly SigningKey[]
}

/** Keeps the engine current: rebuilt when the database says so or a key's time comes, swapped as a whole. */
export const createLive = (deps: Deps): Live => {
  const { db, clock, clients, keys, config, issuer, claimSources } = deps
  const offered = {
    scopes: [...standardScopes, ...claimSources.map(({ scope }) => scope)],
    claims: Object.values(claimsByScope(claimSources)).flat(),
    prompts: [
      'login',
      'consent',
      selectAccount,
      ...(deps.isSignUpOpen ? [createAccount] : []),
      ...(deps.chooseOrganization === undefined ? [] : [selectOrganization]),
    ],
  }
  let loaded: Promise<Loaded> | undefined
  let built: { readonly from: Loaded; readonly until: number; readonly engine: Engine } | undefined

  const read = async (): Promise<Loaded> => {
    // The version first: a change between the two reads is then seen again, not missed.
    const version = await readVersion(db)
    return { version, keys: await keys.load(db) }
  }
  const load = async (): Promise<Loaded> => {
    await keys.ensure()
    return read()
  }

  const build = (from: Loaded): Engine => {
    const now = clock.now()
    const published = publishedKeys(from.keys, now)
    const provider = createProvider(
      deps,
      published.map((key) => key.privateKey),
    )
    const publicKeys = published.map((key) => key.publicKey)
    const documents = prepareDocuments(issuer, offered, publicKeys, config.documentCacheSeconds)
    const engine: Engine = { provider, handle: provider.callback(), documents, publicKeys }
    built = { from, until: nextChange(from.keys, now)?.getTime() ?? Number.POSITIVE_INFINITY, engine }
    return engine
  }

  return {
    engine: async () => {
      loaded ??= load().catch((error: unknown) => {
        loaded = undefined
        throw error
      })
      const from = await loaded
      return built !== undefined && built.from === from && clock.now().getTime() < built.until ? built.engine : build(from)
    },
    refresh: async () => {
      if (loaded === undefined) return
      const { version } = await loaded
      if ((await readVersion(db)) === version) return
      const fresh = await read()
      // After the read: what was remembered before this version is forgotten, what is read from here on is at least as new.
      clients.forget()
      loaded = Promise.resolve(fresh)
    },
  }
}
