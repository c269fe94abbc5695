import type { z } from 'zod'
import type { UserPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import type { Memberships } from '../../organizations/index.ts'
import type { Tally } from '../../statistics/index.ts'
import { listHeld } from '../artifacts/store.ts'
import { logoOf } from '../clients/application.ts'
import { listShown } from '../clients/store.ts'
import { oidcErrors } from '../contract.ts'
import type { EndAccess } from '../grants/end.ts'
import { listConsents, noteUse } from '../interactions/store.ts'
import { createUsage } from '../usage.ts'
import type { ConnectedApplication } from './contract.ts'
import { connectedApplication, lastUsedFirst } from './shown.ts'

/** The applications that people have let in, for these people. */
export interface ConnectedApplications {
  /** Those of a user, last used first. */
  list(userId: string): Promise<z.output<typeof ConnectedApplication>[]>
  /** Ends what the caller agreed to for an application, with its codes and tokens. Throws CONSENT_NOT_FOUND. */
  remove(principal: UserPrincipal, clientId: string): Promise<void>
}

/** Most applications of one list. */
const mostShown = 200
/** Most combinations of application, organization and scopes that a list reads. */
const mostHeld = 1_000

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'url'> {
  readonly memberships: Memberships | undefined
  readonly endAccess: EndAccess
}

export const createConnectedApplications = (deps: Deps): ConnectedApplications => {
  const { db, transact, clock, url, memberships, endAccess } = deps
  return {
    list: async (userId) => {
      const [consents, held] = await Promise.all([
        listConsents(db, userId, mostShown),
        listHeld(db, userId, clock.now(), mostHeld),
      ])
      const ids = [...new Set([...consents, ...held].map(({ clientId }) => clientId))].slice(0, mostShown)
      const clients = await listShown(db, ids)
      const hasOrganization = held.some(({ organizationId }) => organizationId !== null)
      const own = hasOrganization ? ((await memberships?.listOf(db, userId)) ?? []) : []
      const organizations = new Map(own.map(({ id, slug, name }) => [id, { id, slug, name }]))
      return clients
        .map((client) => {
          const isOf = ({ clientId }: { readonly clientId: string }) => clientId === client.clientId
          return connectedApplication(
            { ...client, logo: logoOf(client, url) },
            consents.find(isOf),
            held.filter(isOf),
            organizations,
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

/** When applications last got a token for somebody who agreed to it: to the day, so that tokens cost no write more. */
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
