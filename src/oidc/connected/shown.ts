import type { z } from 'zod'
import type { HeldRow } from '../artifacts/store.ts'
import type { ShownClientRow } from '../clients/store.ts'
import type { ConsentRow } from '../interactions/store.ts'
import { splitScope } from '../rules.ts'
import type { ConnectedApplication } from './contract.ts'

type Application = z.output<typeof ConnectedApplication>
type Organization = Application['organizations'][number]

const isDefined = <T>(value: T | undefined): value is T => value !== undefined

/** Web pages that may be linked: https, or http on this machine. */
const isLinkable = (uri: string): boolean => /^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1)([:/]|$)/.test(uri)

/** An application as its person sees it: what they agreed to, and what it holds. One of both is there. */
export const connectedApplication = (
  { clientId, name, uri, skipConsent, logo }: Omit<ShownClientRow, 'logoImage'> & { readonly logo: string | null },
  consent: ConsentRow | undefined,
  held: readonly HeldRow[],
  organizations: ReadonlyMap<string, Organization>,
): Application => {
  const scopes = consent === undefined ? held.flatMap(({ scope }) => splitScope(scope ?? '')) : splitScope(consent.scopes)
  const starts = held.map(({ firstAt }) => firstAt * 1000)
  const uses = [...held.map(({ lastAt }) => lastAt * 1000), ...(consent?.lastUsedAt ? [consent.lastUsedAt.getTime()] : [])]
  const ids = [...new Set(held.map(({ organizationId }) => organizationId ?? ''))]
  return {
    ...{ clientId, name, logo, uri: uri !== null && isLinkable(uri) ? uri : null, asksForConsent: !skipConsent },
    scopes: [...new Set(scopes)],
    organizations: ids.map((id) => organizations.get(id)).filter(isDefined),
    connectedAt: consent?.createdAt ?? new Date(Math.min(...starts)),
    lastUsedAt: uses.length === 0 ? null : new Date(Math.max(...uses)),
  }
}

/** Last used first; those of which that is not known by when they were let in. */
export const lastUsedFirst = (a: Application, b: Application): number =>
  (b.lastUsedAt ?? b.connectedAt).getTime() - (a.lastUsedAt ?? a.connectedAt).getTime() || (a.clientId < b.clientId ? -1 : 1)
