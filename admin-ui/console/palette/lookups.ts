import { auditContract } from '../../../src/audit/contract.ts'
import { billingAdminContract } from '../../../src/billing/queries/contract/admin.ts'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract/users.ts'
import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { signingKeyContract } from '../../../src/oidc/keys/contract.ts'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import { invitationAdministrationContract } from '../../../src/organizations/invitations/contract.ts'
import type { ConsoleApi } from '../api.ts'
import type { Guess } from './recognise.ts'

/** One result of a search. */
export interface Hit {
  readonly path: string
  readonly title: string
  readonly detail: string
}

/** A search that the palette can make. It is only made if the screen for its results exists and the person may read that screen. */
interface Lookup {
  /** Path of the screen on which the results are shown. */
  readonly screen: string
  readonly takes: readonly Guess['kind'][]
  readonly find: (api: ConsoleApi, text: string) => Promise<readonly Hit[]>
}

const atMost = 6

interface Invited {
  readonly email: string
  readonly organizationName: string
  readonly organizationSlug: string
}

const hitOf = ({ email, organizationName, organizationSlug }: Invited, query: Readonly<Record<string, string>>): Hit => ({
  ...{
    path: `/admin/invitations?${new URLSearchParams(query)}`,
    title: organizationName,
    detail: `${organizationSlug} · ${email}`,
  },
})

export const lookups: readonly Lookup[] = [
  {
    screen: '/admin/users',
    takes: ['words', 'email', 'slug'],
    find: async (api, search) => {
      const { users } = await api.call(userAdministrationContract, 'adminListUsers', { query: { search, limit: atMost } })
      return users.map(({ id, name, email }) => ({ path: `/admin/users/${id}`, title: name, detail: email }))
    },
  },
  {
    screen: '/admin/users',
    takes: ['id'],
    find: async (api, id) => {
      const { name, email } = await api.call(userAdministrationContract, 'adminGetUser', { params: { id } })
      return [{ path: `/admin/users/${id}`, title: name, detail: email }]
    },
  },
  {
    screen: '/admin/sessions',
    takes: ['ip'],
    find: async (_, text) => [
      { path: `/admin/sessions?${new URLSearchParams({ ipAddress: text })}`, title: text, detail: '/admin/sessions' },
    ],
  },
  {
    screen: '/admin/organizations',
    takes: ['words', 'slug'],
    find: async (api, search) => {
      const { organizations } = await api.call(organizationAdministrationContract, 'adminListOrganizations', {
        query: { search, limit: atMost },
      })
      return organizations.map(({ id, name, slug }) => ({ path: `/admin/organizations/${id}`, title: name, detail: slug }))
    },
  },
  {
    screen: '/admin/organizations',
    takes: ['id'],
    find: async (api, id) => {
      const { name, slug } = await api.call(organizationAdministrationContract, 'adminGetOrganization', { params: { id } })
      return [{ path: `/admin/organizations/${id}`, title: name, detail: slug }]
    },
  },
  {
    screen: '/admin/invitations',
    takes: ['email'],
    find: async (api, email) => {
      const query = { email, status: 'pending', limit: atMost } as const
      const { invitations } = await api.call(invitationAdministrationContract, 'adminListAllInvitations', { query })
      return invitations.map((invitation) => hitOf(invitation, { email, peek: invitation.id }))
    },
  },
  {
    screen: '/admin/invitations',
    takes: ['id', 'invitation'],
    find: async (api, id) => {
      const { invitations } = await api.call(invitationAdministrationContract, 'adminListAllInvitations', { query: { id } })
      return invitations.map((invitation) => hitOf(invitation, { id, peek: invitation.id }))
    },
  },
  {
    screen: '/admin/clients',
    takes: ['words'],
    find: async (api, search) => {
      const { clients } = await api.call(applicationContract, 'listApplications', { query: { search, limit: atMost } })
      return clients.map(({ clientId, name }) => ({ path: `/admin/clients/${clientId}`, title: name, detail: clientId }))
    },
  },
  {
    screen: '/admin/clients',
    takes: ['id', 'slug'],
    find: async (api, clientId) => {
      const client = await api.call(applicationContract, 'getApplication', { params: { clientId } })
      return [{ path: `/admin/clients/${clientId}`, title: client.name, detail: clientId }]
    },
  },
  {
    screen: '/admin/billing/deliveries',
    takes: ['id'],
    find: async (api, id) => {
      const { id: own, type } = await api.call(billingAdminContract, 'delivery', { params: { id } })
      return [{ path: `/admin/billing/deliveries/${own}`, title: type ?? id, detail: id }]
    },
  },
  {
    screen: '/admin/billing/customers',
    takes: ['id'],
    find: async (api, id) => {
      const { customer } = await api.call(billingAdminContract, 'customer', { params: { id } })
      return [{ path: `/admin/billing/customers/${id}`, title: customer.name ?? customer.email ?? id, detail: id }]
    },
  },
  {
    screen: '/admin/billing/customers',
    takes: ['email'],
    find: async (api, email) => {
      const { customers } = await api.call(billingAdminContract, 'customers', { query: { email, limit: atMost } })
      return customers.map(({ id, name }) => ({
        path: `/admin/billing/customers/${encodeURIComponent(id)}`,
        title: name ?? email,
        detail: id,
      }))
    },
  },
  {
    screen: '/admin/signing-keys',
    takes: ['id'],
    find: async (api, kid) => {
      const { keys } = await api.call(signingKeyContract, 'listSigningKeys')
      return keys.filter((key) => key.kid === kid).map(({ alg }) => ({ path: '/admin/signing-keys', title: kid, detail: alg }))
    },
  },
  {
    screen: '/admin/events',
    takes: ['id'],
    find: async (api, request) => {
      const { events } = await api.call(auditContract, 'listEvents', { query: { request, limit: 1 } })
      return events.map(({ type, requestId }) => ({
        path: `/admin/events?${new URLSearchParams({ request: requestId })}`,
        title: type,
        detail: requestId,
      }))
    },
  },
]
