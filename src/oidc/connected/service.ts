import type { z } from 'zod'
import type { UserPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { withQuery } from '../../core/web.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { Tally } from '../../statistics/index.ts'
import type { HeldRow } from '../artifacts/store.ts'
import { listHeld } from '../artifacts/store.ts'
import { logoOf } from '../clients/application.ts'
import type { ShownClientRow } from '../clients/store.ts'
import { findNames, listShown } from '../clients/store.ts'
import { oidcErrors } from '../contract.ts'
import type { EndAccess } from '../grants/end.ts'
import type { ConsentRow } from '../interactions/store.ts'
import { listConsents, noteUse } from '../interactions/store.ts'
import { unqualified } from '../resource-servers/rules.ts'
import type { ResourceServer, ResourceServers } from '../resource-servers/service.ts'
import { splitScope } from '../rules.ts'
import { createUsage } from '../usage.ts'
import type { ConnectedApplication } from './contract.ts'

type Application = z.output<typeof ConnectedApplication>
type Organization = Application['organizations'][number]

/** The applications by `client_id` and the APIs by identifier, for their names. */
interface Names {
  readonly names: ReadonlyMap<string, string>
  readonly apis: ReadonlyMap<string, ResourceServer>
}

/** The API scopes of a consent, grouped by API. A deleted API is shown by its identifier instead of its name. */
const apisIn = (scopes: readonly string[], apis: Names['apis']): Application['apis'] => {
  const of = scopes.map(unqualified).filter(isDefined)
  return [...new Set(of.map(({ identifier }) => identifier))].map((identifier) => {
    const api = apis.get(identifier)
    const named = of.filter((scope) => scope.identifier === identifier).map(({ name }) => name)
    const descriptions = named.map((name) => api?.scopes.find((scope) => scope.name === name)?.description ?? name)
    return { identifier, name: api?.name ?? identifier, scopes: descriptions }
  })
}

const isDefined = <T>(value: T | undefined): value is T => value !== undefined

/** True if the account pages may link to the URL: https, or http on this machine. */
const isLinkable = (uri: string): boolean => /^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1)([:/]|$)/.test(uri)

/** The URL at which the application starts a sign-in with this server as the issuer (OpenID Connect Core 1.0, section 4). */
const openUriOf = ({ metadata: { initiateLoginUri } }: Pick<ShownClientRow, 'metadata'>, issuer: string): string | null =>
  initiateLoginUri !== null && isLinkable(initiateLoginUri) ? withQuery(initiateLoginUri, { iss: issuer }) : null

/** An application on the account pages. The application has the user's consent, or codes and tokens of the user, or both. */
const connectedApplication = (
  {
    clientId,
    name,
    uri,
    skipConsent,
    logo,
    openUri,
  }: Omit<ShownClientRow, 'logoImage' | 'metadata'> & Pick<Application, 'logo' | 'openUri'>,
  consent: ConsentRow | undefined,
  held: readonly HeldRow[],
  organizations: ReadonlyMap<string, Organization>,
  { names, apis }: Names,
): Application => {
  const scopes = consent === undefined ? held.flatMap(({ scope }) => splitScope(scope ?? '')) : splitScope(consent.scopes)
  const starts = held.map(({ firstAt }) => firstAt * 1000)
  const uses = [...held.map(({ lastAt }) => lastAt * 1000), ...(consent?.lastUsedAt ? [consent.lastUsedAt.getTime()] : [])]
  const ids = [...new Set(held.map(({ organizationId }) => organizationId ?? ''))]
  return {
    ...{ clientId, name, logo, uri: uri !== null && isLinkable(uri) ? uri : null, openUri, asksForConsent: !skipConsent },
    scopes: [...new Set(scopes)].filter((scope) => unqualified(scope) === undefined),
    apis: apisIn(scopes, apis),
    actsThrough: [...new Set(held.flatMap(({ through }) => through ?? []))].map((id) => ({
      clientId: id,
      name: names.get(id) ?? id,
    })),
    organizations: ids.map((id) => organizations.get(id)).filter(isDefined),
    connectedAt: consent?.createdAt ?? new Date(Math.min(...starts)),
    lastUsedAt: uses.length === 0 ? null : new Date(Math.max(...uses)),
  }
}

/** Sorts applications by the time of the last use. If that time is unknown, the time of the consent counts. */
const lastUsedFirst = (a: Application, b: Application): number =>
  (b.lastUsedAt ?? b.connectedAt).getTime() - (a.lastUsedAt ?? a.connectedAt).getTime() || (a.clientId < b.clientId ? -1 : 1)

/** Shows people the applications that have access to their account, and lets them end it. */
export interface ConnectedApplications {
  /** The applications that have access to the account of a user. The application that was used last comes first. */
  list(userId: string): Promise<z.output<typeof ConnectedApplication>[]>
  /**
   * Ends the caller's consent to an application, and deletes the codes and tokens of the application for the caller. Throws
   * CONSENT_NOT_FOUND.
   */
  remove(principal: UserPrincipal, clientId: string): Promise<void>
}

/** The largest number of applications that the account page lists. */
const mostShown = 200
/** The largest number of groups that a list reads. A group is the codes and tokens of one application for the same organization and scopes. */
const mostHeld = 1_000

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'url'> {
  readonly memberships: Memberships | undefined
  readonly endAccess: EndAccess
  readonly apis: Pick<ResourceServers, 'find'>
}

export const createConnectedApplications = (deps: Deps): ConnectedApplications => {
  const { db, transact, clock, url, memberships, endAccess, apis } = deps
  return {
    list: async (userId) => {
      const [consents, held] = await Promise.all([
        listConsents(db, userId, mostShown),
        listHeld(db, userId, clock.now(), mostHeld),
      ])
      const ids = [...new Set([...consents, ...held].map(({ clientId }) => clientId))].slice(0, mostShown)
      const clients = await listShown(db, ids)
      const identifiers = consents.flatMap(({ scopes }) =>
        splitScope(scopes).flatMap((scope) => unqualified(scope)?.identifier ?? []),
      )
      const found = new Map<string, ResourceServer>()
      for (const identifier of new Set(identifiers)) {
        const api = await apis.find(identifier)
        if (api !== undefined) found.set(identifier, api)
      }
      const names = await findNames(
        db,
        held.flatMap(({ through }) => through ?? []),
      )
      const hasOrganization = held.some(({ organizationId }) => organizationId !== null)
      const own = hasOrganization ? ((await memberships?.listOf(db, userId)) ?? []) : []
      const organizations = new Map(own.map(({ id, slug, name }) => [id, { id, slug, name }]))
      return clients
        .map((client) => {
          const isOf = ({ clientId }: { readonly clientId: string }) => clientId === client.clientId
          return connectedApplication(
            { ...client, logo: logoOf(client, url), openUri: openUriOf(client, url) },
            consents.find(isOf),
            held.filter(isOf),
            organizations,
            { names, apis: found },
          )
        })
        .sort(lastUsedFirst)
    },
    remove: (principal, clientId) =>
      transact(async (tx) => {
        if ((await endAccess(tx, principal, principal.user.id, clientId)) === undefined)
          throw oidcErrors.error('CONSENT_NOT_FOUND')
      }),
  }
}

const dayMs = 86_400_000

/**
 * Notes the time at which an application last got a token for a person. The time is written at most once a day, so that most tokens cause
 * no further write.
 */
export const createConsentUsage = (deps: Pick<Core, 'transact' | 'clock'>, tally: Tally | undefined) => {
  const usage = createUsage(deps, {
    everyMs: dayMs,
    write: (tx, key, at) => {
      const [userId = '', clientId = ''] = JSON.parse(key) as readonly string[]
      return noteUse(tx, { userId, clientId }, at)
    },
  })
  return {
    note: (userId: string, clientId: string) => {
      usage.note(JSON.stringify([userId, clientId]))
      tally?.active(userId, clientId)
    },
    flush: usage.flush,
  }
}
export type ConsentUsage = ReturnType<typeof createConsentUsage>
