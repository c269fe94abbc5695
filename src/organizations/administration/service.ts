import type { z } from 'zod'
import { can } from '../../access/can.ts'
import type { PermittedPrincipal } from '../../access/principal.ts'
import type { Core } from '../../core/core.ts'
import { isSealed } from '../../core/crypto.ts'
import type { Total } from '../../core/db/count.ts'
import { askedTerms } from '../../core/db/search.ts'
import { coreErrors } from '../../core/errors.ts'
import {
  type Cursor,
  cursorOf,
  cutPage,
  invalidQuery,
  nextAfter,
  noPosition,
  type PlacedRows,
  type Position,
} from '../../core/page.ts'
import { parseEmail } from '../../core/wire.ts'
import type { ManagedUsers } from '../../identity/users/index.ts'
import type { allInvitationsList } from '../invitations/contract.ts'
import { stateOf } from '../invitations/rules.ts'
import { redactedId } from '../invitations/tokens.ts'
import { countMembers, findMember, type MemberWithUser } from '../members/store.ts'
import type { Organization } from '../service.ts'
import { findOrganization, type ListedOrganization } from '../store.ts'
import type { invitationList, memberList, membershipList, organizationList } from './contract.ts'
import * as store from './store.ts'

type Query<L extends { readonly query: z.ZodType }> = z.output<L['query']>
interface Page<Row> {
  readonly total: Total | null
  readonly rows: readonly Row[]
  readonly next: string | null
}

type InvitationInState = Omit<store.ListedInvitation, 'status'> & { readonly status: ReturnType<typeof stateOf> }

/** Reads organizations for administrators and commands. */
export interface OrganizationAdministration {
  list(query: Query<typeof organizationList>): Promise<Page<ListedOrganization> & { readonly total: Total | null }>
  /** Finds an organization. Throws NOT_FOUND. */
  get(id: string): Promise<Organization & { readonly memberCount: number }>
  /** Lists the members of an organization. Throws NOT_FOUND for an unknown organization. */
  listMembers(id: string, query: Query<typeof memberList>): Promise<Page<store.ListedMember>>
  /** Finds a member of an organization. Throws NOT_FOUND. */
  getMember(id: string, memberId: string): Promise<MemberWithUser>
  /**
   * Lists the invitations of an organization. If the principal may not cancel invitations, hashes take the place of their ids, because
   * anybody who knows the id of an invitation can sign up with it (docs/design/organizations.md#invitations).
   */
  listInvitations(
    principal: PermittedPrincipal,
    id: string,
    query: Query<typeof invitationList>,
  ): Promise<Page<InvitationInState>>
  /** Lists the invitations of all organizations. */
  listAllInvitations(principal: PermittedPrincipal, query: Query<typeof allInvitationsList>): Promise<Page<InvitationInState>>
  /** Lists the organizations of a user. Throws NOT_FOUND for an unknown user. */
  listOfUser(userId: string, query: Query<typeof membershipList>): Promise<Page<store.ListedMembership>>
}

interface Deps extends Pick<Core, 'db' | 'clock' | 'secrets'> {
  readonly managedUsers: Pick<ManagedUsers, 'get'>
}

const placeOfInvitation = 'place in a list of invitations'

export const createOrganizationAdministration = ({ db, clock, secrets, managedUsers }: Deps): OrganizationAdministration => {
  const notFound = (what: string) => coreErrors.error('NOT_FOUND', { message: `${what} not found` })

  const pageOf = async <Row>(
    query: Pick<Cursor, 'sort' | 'order' | 'limit'>,
    read: Promise<PlacedRows<Row>>,
    nameOf: (id: string) => string = (id) => id,
  ): Promise<Page<Row>> => {
    const { found, lookedTo, total } = await read
    const nextOf = ({ value, id }: Position) => nextAfter(query, { value, id: nameOf(id) })
    const { rows, next } = cutPage(found, query.limit, (last) => nextOf(last.position))
    return {
      rows: rows.map(({ row }) => row),
      next: next ?? (lookedTo === undefined ? null : nextOf(lookedTo)),
      total: total ?? null,
    }
  }

  /** A page of invitations. The id of an invitation is a secret, so the id in `next` is sealed. */
  const invitationsOf = async (
    principal: PermittedPrincipal,
    filter: store.InvitationFilter,
    query: Parameters<typeof cursorOf>[0],
  ): Promise<Page<InvitationInState>> => {
    const { after, ...cursor } = cursorOf(query)
    const now = clock.now()
    const page = await pageOf(
      query,
      store.pageOfInvitations(db, filter, now, { ...cursor, after: after && { value: after.value, id: openedId(after.id) } }),
      (id) => secrets.seal(id, placeOfInvitation),
    )
    const isShown = can(principal, 'all-organizations:update')
    const rows = page.rows.map((row) => ({ ...row, status: stateOf(row, now), id: isShown ? row.id : redactedId(row.id) }))
    return { ...page, rows }
  }

  const openedId = (sealed: string): string => {
    try {
      if (isSealed(sealed)) return secrets.open(sealed, placeOfInvitation)
    } catch {
      // This instance has not sealed the text, or the master secret that sealed it was removed.
    }
    throw noPosition()
  }

  const require = async (id: string) => {
    const organization = await findOrganization(db, { id })
    if (organization === undefined) throw notFound('Organization')
    return organization
  }

  return {
    list: async ({ search, createdSince, createdUntil, total: isCounted, ...query }) => {
      if (search !== undefined && !(query.sort === 'createdAt' && query.order === 'desc'))
        throw invalidQuery('sort', 'a search has an order of its own: that of the words it finds')
      if ((createdSince !== undefined || createdUntil !== undefined) && query.sort !== 'createdAt')
        throw invalidQuery('sort', 'expected createdAt with createdSince and createdUntil')
      const filter = { createdSince, createdUntil }
      const words = search === undefined ? undefined : askedTerms(search)
      const page = await pageOf(
        query,
        words === undefined
          ? store.pageOfOrganizations(db, filter, cursorOf(query))
          : store.searchOrganizations(db, words, filter, cursorOf(query)),
      )
      const total = isCounted === true ? await store.totalOfOrganizations(db, filter, words) : null
      return { ...page, total }
    },
    get: async (id) => ({ ...(await require(id)), memberCount: await countMembers(db, id) }),
    listMembers: async (id, { role, ...query }) => {
      await require(id)
      return pageOf(query, store.pageOfMembers(db, id, role, cursorOf(query)))
    },
    getMember: async (id, memberId) => {
      const member = await findMember(db, id, { id: memberId })
      if (member === undefined) throw notFound('Member')
      return member
    },
    listInvitations: async (principal, id, { status, ...query }) => {
      await require(id)
      return invitationsOf(principal, { organizationId: id, status }, query)
    },
    listAllInvitations: async (principal, { id, email, status, organizationId: named, inviterId, ...query }) => {
      const organizationId = named && ((await findOrganization(db, { id: named, slug: named }))?.id ?? named)
      return invitationsOf(
        principal,
        { id, email: email && (parseEmail(email) ?? email), status, organizationId, inviterId },
        query,
      )
    },
    listOfUser: async (userId, query) => {
      await managedUsers.get(userId)
      return pageOf(query, store.pageOfMemberships(db, userId, cursorOf(query)))
    },
  }
}
