import { can } from '../../access/can.ts'
import type { Principal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import { anyState, type IfMatch } from '../../core/etag.ts'
import { type Outbound, OutboundError } from '../../core/fetch.ts'
import { startsAsSvg } from '../../core/svg.ts'
import type { ImageOwner, Images, PreparedImage } from '../../images/index.ts'
import { oidcErrors } from '../contract.ts'
import { oidcEvents } from '../events.ts'
import { type Application, logoOf, toApplication } from './application.ts'
import { requireCovered } from './permissions.ts'
import { isOfOperatorOrApproved } from './rules.ts'
import type { Clients } from './service.ts'
import * as store from './store.ts'

/** The logos of applications. A logo is uploaded, or fetched once from a URL. This server encodes the image anew, stores it and serves it. */
export interface ClientLogos {
  /**
   * Fetches the logo from the URL `icon`, if it is set. The caller calls it after the transaction of a registration or change. A failure
   * is stored as `logoProblem`, and the previous logo stays. Throws APPLICATION_NOT_FOUND.
   */
  fetch(principal: Principal, clientId: string): Promise<Application>
  /** Stores an uploaded logo. Throws APPLICATION_NOT_FOUND, INVALID_IMAGE, and the errors of `Applications.update` about permissions. */
  upload(principal: Principal, clientId: string, source: Buffer, ifMatch?: IfMatch<Application>): Promise<Application>
  /** Removes the logo. Throws the errors of `upload`. */
  remove(principal: Principal, clientId: string, ifMatch?: IfMatch<Application>): Promise<Application>
  /** Applications whose logo could not be fetched from `icon`. Searches the given `clientIds`, or all applications up to a limit. */
  unfetched(clientIds?: readonly string[]): ReturnType<typeof store.listUnfetched>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'events' | 'log' | 'url'> {
  readonly clients: Pick<Clients, 'changed'>
  readonly images: Images
  readonly outbound: Outbound
  /**
   * Fetches logos. It never calls private network addresses, not even those in `outbound.allow`, because whoever registers an application
   * chooses the URL of its logo.
   */
  readonly publicOutbound: Outbound
}

export const logoOwner = (ownerId: string): ImageOwner => ({ kind: 'client-logo', ownerId })

/** The largest length of a stored description of a problem. */
const longestProblem = 500
/** The largest number of applications that the check of `doctor` lists. */
const mostNamed = 20

/** The outcome of fetching a logo: the image or the problem. */
type Fetched = { readonly image: PreparedImage } | { readonly problem: string }

export const createClientLogos = (deps: Deps): ClientLogos => {
  const { db, transact, clock, events, log, url, clients, images } = deps

  const found = (row: store.ClientRow | undefined): store.ClientRow => {
    if (row === undefined) throw oidcErrors.error('APPLICATION_NOT_FOUND')
    return row
  }

  /** The first bytes of the image tell its format. An SVG is converted to a bitmap. */
  const prepare = (clientId: string, source: Buffer): Promise<PreparedImage> =>
    startsAsSvg(source) ? images.prepareDrawn(logoOwner(clientId), source) : images.prepare(logoOwner(clientId), source)

  const outboundFor = (client: Pick<store.ClientRow, 'registeredBy' | 'review'>): Outbound =>
    isOfOperatorOrApproved(client) ? deps.outbound : deps.publicOutbound

  const read = async (clientId: string, address: string, outbound: Outbound): Promise<Fetched> => {
    try {
      const { status, bytes } = await outbound.send(address, { headers: { accept: 'image/*' } })
      if (status !== 200) return { problem: `the server answered ${status}${status < 400 ? ': redirects are not followed' : ''}` }
      return { image: await prepare(clientId, bytes) }
    } catch (error) {
      if (!(error instanceof OutboundError) && !(error instanceof AppError)) throw error
      return { problem: error.message.slice(0, longestProblem) }
    }
  }

  /** Stores the changed fields. An event is recorded if the logo or its URL has changed. */
  const write = async (
    tx: Tx,
    principal: Principal,
    row: store.ClientRow,
    logo: Pick<store.ClientRow, 'icon' | 'logoImage' | 'logoSource'>,
  ): Promise<Application> => {
    const isShownAnew = row.logoImage !== logo.logoImage
    const fields = [...(isShownAnew ? ['logo'] : []), ...(row.icon === logo.icon ? [] : ['icon'])]
    const after = { ...row, ...logo, logoProblem: null }
    if (fields.length > 0) after.updatedAt = new Date(Math.max(clock.now().getTime(), row.updatedAt.getTime() + 1))
    await store.updateLogo(tx, row.id, { ...logo, logoProblem: null, updatedAt: after.updatedAt })
    if (fields.length === 0) return toApplication(after, url)
    const valuesOf = (of: store.ClientRow) => ({
      ...(isShownAnew ? { logo: logoOf(of, url) } : {}),
      ...(row.icon === logo.icon ? {} : { icon: of.icon }),
    })
    await events.record(tx, principal, oidcEvents['client.updated'], {
      subject: row.clientId,
      data: { fields, before: valuesOf(row), after: valuesOf(after) },
    })
    await clients.changed(tx)
    return toApplication(after, url)
  }

  /** Locks the application and returns it. Throws if the principal may not change it. */
  const lock = async (tx: Tx, principal: Principal, clientId: string, ifMatch: IfMatch<Application>) => {
    const row = found(await store.lockClient(tx, clientId))
    requireMayChange(principal, row)
    ifMatch(toApplication(row, url))
    return row
  }
  const requireMayChange = (principal: Principal, { permissions }: store.ClientRow) => {
    if (!can(principal, 'clients:update')) throw coreErrors.error('FORBIDDEN')
    requireCovered(principal, permissions)
  }

  return {
    fetch: async (principal, clientId) => {
      const { icon, ...row } = found(await store.findClient(db, clientId))
      if (icon === null) return toApplication({ ...row, icon }, url)
      const result = await read(clientId, icon, outboundFor(row))
      if ('problem' in result)
        log.info({ clientId, icon, problem: result.problem }, 'the logo of an application could not be fetched')
      return transact(async (tx) => {
        const now = found(await store.lockClient(tx, clientId))
        // The result is dropped, because during the fetch the URL was changed or a file was uploaded.
        if (now.icon !== icon) return toApplication(now, url)
        if ('image' in result) {
          const { id } = await images.put(tx, result.image)
          return write(tx, principal, now, { icon, logoImage: id, logoSource: icon })
        }
        const { problem: logoProblem } = result
        await store.updateLogo(tx, now.id, { logoProblem, logoSource: null, updatedAt: now.updatedAt })
        return toApplication({ ...now, logoProblem }, url)
      })
    },
    upload: async (principal, clientId, source, ifMatch = anyState) => {
      // The permission is checked before the image is decoded, because decoding is expensive.
      requireMayChange(principal, found(await store.findClient(db, clientId)))
      const image = await prepare(clientId, source)
      return transact(async (tx) => {
        const row = await lock(tx, principal, clientId, ifMatch)
        const { id } = await images.put(tx, image)
        return write(tx, principal, row, { icon: null, logoImage: id, logoSource: null })
      })
    },
    remove: (principal, clientId, ifMatch = anyState) =>
      transact(async (tx) => {
        const row = await lock(tx, principal, clientId, ifMatch)
        await images.remove(tx, logoOwner(clientId))
        return write(tx, principal, row, { icon: null, logoImage: null, logoSource: null })
      }),
    unfetched: (clientIds) => store.listUnfetched(db, clientIds ?? mostNamed),
  }
}
