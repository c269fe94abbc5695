import type { Core } from '../../core/core.ts'
import { sha256 } from '../../core/crypto.ts'
import { AppError } from '../../core/errors.ts'
import { createOutbound, type OutboundConfig, OutboundError } from '../../core/fetch.ts'
import type { RequestContext } from '../../core/request-context.ts'
import { hourSeconds } from '../../core/time.ts'
import type { Limits } from '../../limits/index.ts'
import type { Applications } from '../clients/applications.ts'
import { invalidMetadata } from '../clients/rules.ts'
import type { Clients } from '../clients/service.ts'
import * as clientStore from '../clients/store.ts'
import type { OidcConfig } from '../config.ts'
import { isAllowed, isDocumentId, isListed } from '../metadata/document-id.ts'
import { defaultScopes, type SentMetadata } from '../registration/rules.ts'
import { requireRoom } from '../registration/service.ts'
import { scopesFor } from '../rules.ts'
import type { Sector, Sectors } from '../subjects/sectors.ts'
import { cacheSeconds, freshSeconds, maxBytes, maxMs, readDocument, staleSeconds } from './rules.ts'
import * as store from './store.ts'

/** The caller of a request, with the key of the caller's network for rate limits. */
export interface Source extends RequestContext {
  readonly networkKey: string
}

/** Clients whose `client_id` is the URL of a document with their metadata (Client ID Metadata Documents). */
export interface MetadataDocuments {
  /**
   * Called for an authorization request, also when it is pushed. Fetches the document if it is new, or if it has to be fetched again.
   * Returns the problem if the client cannot be used; the person or the client sees it. Returns undefined if the client can be used, and
   * for every `client_id` that is no URL.
   */
  prepare(clientId: string, source: Source): Promise<string | undefined>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'log'> {
  readonly config: OidcConfig
  readonly outbound: OutboundConfig
  readonly clients: Pick<Clients, 'enrol'>
  readonly applications: Pick<Applications, 'replaceAsClient'>
  readonly limits: Limits
  readonly sectors: Pick<Sectors, 'read'>
  readonly sourceScopes: readonly string[]
}

/**
 * The largest number of new documents that are fetched from one host in an hour. Without a limit, anybody could make this server flood a
 * host with requests.
 */
const perHostAndHour = 100
/**
 * The number of fetches of a document within `cacheSeconds.least` while its URL fails. It is two, because two nodes may get a request for
 * the document at the same moment.
 */
const attempts = 2
/** The largest number of failed URLs in the memory of a node. */
const maxFailed = 1_000

const unreadable = 'the metadata document of the client cannot be read now; try again later'

const contextOf = ({ networkKey: _, ...context }: Source): RequestContext => context

interface Fetched {
  readonly read: SentMetadata
  readonly digest: string
  readonly freshSeconds: number
  readonly sector: Sector | undefined
}

export const createMetadataDocuments = (deps: Deps): MetadataDocuments => {
  const { db, transact, clock, log, config, clients, applications, limits, sourceScopes } = deps
  const bounded = {
    ...{ ...deps.outbound, allowHttp: false, maxBytes: Math.min(deps.outbound.maxBytes, maxBytes) },
    timeoutMs: Math.min(deps.outbound.timeoutMs, maxMs),
  }
  const outbounds = { listed: createOutbound(bounded), strange: createOutbound({ ...bounded, allow: [] }) }
  const knownScopes = scopesFor('web', sourceScopes)
  /** Fetches that have not finished yet. Simultaneous requests for a document share a fetch. */
  const underWay = new Map<string, Promise<string | undefined>>()
  /** URLs that failed, with their problem. `until` is the time in milliseconds since the epoch before which the URL is not fetched again. */
  const failed = new Map<string, { readonly problem: string; readonly until: number }>()

  /** Fetches a document and reads it. Throws OutboundError if it cannot be fetched, and AppError if it is invalid. */
  const fetch = async (clientId: string): Promise<Fetched> => {
    const outbound = isListed(config, clientId) ? outbounds.listed : outbounds.strange
    const { status, headers, text } = await outbound.send(clientId)
    if (status !== 200) throw new OutboundError(`the server answered ${status}`)
    if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(headers.get('content-type') ?? ''))
      throw new OutboundError('the answer is not of the type application/json')
    const read = readDocument(clientId, text, knownScopes)
    const sector = await deps.sectors.read(read.sectorIdentifierUri, false)
    return { read, digest: sha256(JSON.stringify(read)), sector, freshSeconds: freshSeconds(headers.get('cache-control') ?? '') }
  }

  const rowOf = (id: string, { digest, freshSeconds: seconds }: Fetched): store.DocumentRow => ({
    ...{ id, digest, problem: null, readAt: clock.now() },
    ...{ refreshAt: clock.after(seconds), validUntil: clock.after(seconds + staleSeconds) },
  })

  /** Describes the error for the person who signs in. Details about the network are only logged. */
  const problemOf = (clientId: string, thrown: unknown): string => {
    if (!(thrown instanceof OutboundError) && !(thrown instanceof AppError)) throw thrown
    log.info({ clientId, problem: thrown.message }, 'the metadata document of a client could not be read')
    return thrown instanceof AppError ? thrown.message.slice(0, 500) : unreadable
  }

  /** Counts a fetch. Returns false if the caller's network, the document or its host has reached its limit. */
  const mayAsk = async (clientId: string, { networkKey }: Source): Promise<boolean> => {
    const hits = [
      [`client-document-network:${networkKey}`, config.registrationsPerHour, hourSeconds],
      [`client-document:${sha256(clientId)}`, attempts, cacheSeconds.least],
      [`client-document-host:${new URL(clientId).hostname}`, perHostAndHour, hourSeconds],
    ] as const
    for (const [key, max, seconds] of hits) if ((await limits.hit(key, max, seconds)) > 0) return false
    return true
  }

  const add = async (clientId: string, source: Source): Promise<string | undefined> => {
    const before = failed.get(clientId)
    if (before !== undefined && clock.now().getTime() < before.until) return before.problem
    if (!(await mayAsk(clientId, source))) return unreadable
    try {
      const fetched = await fetch(clientId)
      const { scopes, grantTypes, ...metadata } = fetched.read
      await clients.enrol(
        { ...contextOf(source), kind: 'anonymous' },
        { ...metadata, scope: scopes ?? defaultScopes, unknownScopes: 'ignore' },
        {
          ...{ by: 'anonymous', registrantId: null, documentId: clientId, grantTypes },
          admit: (tx) => requireRoom(tx, config.registrationMaxUnknown),
          complete: (tx, id) => store.insertDocument(tx, rowOf(id, fetched)),
        },
      )
      return undefined
    } catch (thrown) {
      // Another node may have registered the client first.
      if (thrown instanceof AppError && thrown.code === 'CLIENT_ID_IS_TAKEN') return undefined
      const problem = problemOf(clientId, thrown)
      if (failed.size >= maxFailed) failed.clear()
      failed.set(clientId, { problem, until: clock.after(cacheSeconds.least).getTime() })
      return problem
    }
  }

  /** Stores a new version of the document. Fields that administrators have changed stay as they are until the document changes again. */
  const replace = (clientId: string, source: Source, fetched: Fetched) =>
    transact(async (tx) => {
      const row = await clientStore.lockClient(tx, clientId)
      const before = row && (await store.findDocument(tx, row.id))
      if (row === undefined || before === undefined) throw invalidMetadata('the client was deleted meanwhile')
      if (before.digest !== fetched.digest)
        await applications.replaceAsClient(
          tx,
          { ...contextOf(source), kind: 'application', actorId: clientId },
          row,
          { ...fetched.read, scopes: fetched.read.scopes ?? defaultScopes },
          fetched.sector,
        )
      await store.updateDocument(tx, rowOf(row.id, fetched))
    })

  const refresh = async (
    { id, clientId }: clientStore.ClientRow,
    { validUntil }: store.DocumentRow,
    source: Source,
  ): Promise<string | undefined> => {
    const usable = (problem: string) => (clock.now() < validUntil ? undefined : problem)
    const isFirst = await transact((tx) => store.claimRefresh(tx, id, clock.now(), clock.after(cacheSeconds.least)))
    if (!isFirst) return usable(unreadable)
    try {
      await replace(clientId, source, await fetch(clientId))
      return undefined
    } catch (thrown) {
      const problem = problemOf(clientId, thrown)
      await transact((tx) => store.noteProblem(tx, id, (thrown as Error).message.slice(0, 500)))
      return usable(problem)
    }
  }

  const look = async (clientId: string, source: Source): Promise<string | undefined> => {
    const row = await clientStore.findClient(db, clientId)
    if (row === undefined) return add(clientId, source)
    // The library itself refuses the disabled client.
    if (row.disabled) return undefined
    const document = await store.findDocument(db, row.id)
    if (document === undefined) return undefined
    if (clock.now() >= document.refreshAt) return refresh(row, document, source)
    return clock.now() < document.validUntil ? undefined : unreadable
  }

  return {
    prepare: async (clientId, source) => {
      if (!isDocumentId(clientId) || !isAllowed(config, clientId)) return undefined
      const looking =
        underWay.get(clientId) ??
        look(clientId, source).finally(() => {
          underWay.delete(clientId)
        })
      underWay.set(clientId, looking)
      return looking
    },
  }
}
