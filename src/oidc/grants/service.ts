import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { Names } from '../../access/names.ts'
import type { Permission } from '../../access/permissions.ts'
import type { Principal } from '../../access/principal.ts'
import type { InstanceRoles } from '../../access/roles.ts'
import type { Core } from '../../core/core.ts'
import type { Total } from '../../core/db/count.ts'
import { coreErrors } from '../../core/errors.ts'
import { type Cursor, cursorOf, cutPage, nextAfter } from '../../core/page.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Memberships } from '../../organizations/index.ts'
import { findNames } from '../clients/store.ts'
import { oidcErrors } from '../contract.ts'
import { type ConsentConfig, expiryOf } from '../interactions/consents.ts'
import * as store from '../interactions/store.ts'
import { splitScope } from '../rules.ts'
import type { grantContract, UserConsent } from './contract.ts'
import type { EndAccess } from './end.ts'

type Consent = z.output<typeof UserConsent>
type Query<Name extends 'listGrants' | 'listUserConsents'> = z.output<(typeof grantContract)[Name]['query']>

interface Page {
  readonly consents: Consent[]
  readonly next: string | null
  readonly total: Total | null
}

/** Lets administrators see and end the consents of users. */
export interface Grants {
  list(principal: Principal, query: Query<'listGrants'>): Promise<Page>
  /** The consents of a user. Throws USER_NOT_FOUND. */
  listOf(principal: Principal, userId: string, query: Query<'listUserConsents'>): Promise<Page>
  /**
   * Ends a consent, and deletes the codes and tokens that the application has of the person. Returns the number of deleted codes and
   * tokens. Throws CONSENT_NOT_FOUND. Throws FORBIDDEN if the person has more permissions than the principal.
   */
  end(principal: Principal, id: string): Promise<number>
  /**
   * Ends the consent of a person to an application. The person is named by id or mail address. If `organization` is given, by id or slug,
   * only the consent for that organization ends. Succeeds even if there is no consent. Throws the errors of `end`, and USER_NOT_FOUND.
   */
  endOf(principal: Principal, idOrEmail: string, clientId: string, organization?: string): Promise<number>
}

interface Deps extends Pick<Core, 'db' | 'transact'> {
  readonly users: Users
  readonly names: Names
  readonly instanceRoles: InstanceRoles
  readonly endAccess: EndAccess
  readonly memberships: Pick<Memberships, 'idOf'> | undefined
  readonly config: ConsentConfig
}

export const createGrants = ({ db, transact, users, names, instanceRoles, endAccess, memberships, config }: Deps): Grants => {
  const require = (principal: Principal, permission: Permission) => {
    if (!can(principal, permission)) throw coreErrors.error('FORBIDDEN')
  }

  const read = async (principal: Principal, filter: store.ConsentFilter, query: Query<'listUserConsents'>): Promise<Page> => {
    const cursor: Cursor = cursorOf(query)
    const found = await store.pageOfConsents(db, filter, cursor)
    const { rows, next } = cutPage(found.rows, query.limit, ({ id, updatedAt }) =>
      nextAfter(query, { id, value: updatedAt.getTime() }),
    )
    const applications = await findNames(
      db,
      rows.map(({ clientId }) => clientId),
    )
    const consents = rows.map(({ id, userId, clientId, scopes, organizations, createdAt, updatedAt }) => ({
      ...{ id, userId, clientId, clientName: applications.get(clientId) ?? clientId },
      ...{ scopes: splitScope(scopes), organizationIds: organizations === null ? null : [...organizations] },
      ...{ createdAt, updatedAt, expiresAt: expiryOf({ updatedAt }, config) },
    }))
    const refer = ({ userId: id, organizationIds }: (typeof consents)[number]) => ({
      user: { kind: 'user', id },
      organizations: organizationIds === null ? null : organizationIds.map((one) => ({ kind: 'organization', id: one })),
    })
    return { consents: await names.add(principal, consents, refer), next, total: found.total }
  }

  const endOf: Grants['endOf'] = async (principal, idOrEmail, clientId, organization) =>
    transact(async (tx) => {
      const { id: userId, role } = await users.requireFor(principal, tx, idOrEmail)
      require(principal, 'grants:delete')
      if (!instanceRoles.coversRole(principal, role)) throw coreErrors.error('FORBIDDEN')
      // The consent may name an organization that was deleted. Its id is then used as it was given.
      const organizationId = organization && ((await memberships?.idOf(tx, organization)) ?? organization)
      const tokens = await endAccess(tx, principal, userId, clientId, organizationId)
      if (tokens === undefined) throw oidcErrors.error('CONSENT_NOT_FOUND')
      return tokens
    })

  return {
    list: async (principal, { userId, clientId, ...query }) => {
      require(principal, 'grants:read')
      return read(principal, { userId, clientId }, query)
    },
    listOf: async (principal, userId, query) => {
      require(principal, 'grants:read')
      const { id } = await users.requireFor(principal, db, userId)
      return read(principal, { userId: id, clientId: undefined }, query)
    },
    end: async (principal, id) => {
      const consent = await store.findConsentById(db, id)
      if (consent === undefined) throw oidcErrors.error('CONSENT_NOT_FOUND')
      return endOf(principal, consent.userId, consent.clientId)
    },
    endOf,
  }
}
