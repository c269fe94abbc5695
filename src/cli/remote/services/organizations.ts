import { AppError } from '../../../core/errors.ts'
import type { Send } from '../../../http/client.ts'
import { organizationAdministrationContract } from '../../../organizations/administration/contract.ts'
import { invitationAdministrationContract } from '../../../organizations/invitations/contract.ts'
import { calls, orUndefined } from './calls.ts'
import type { findPeople } from './people.ts'

/** Finds the ids of organizations. Commands name an organization by its id or slug, but calls only accept ids. */
export const findOrganizations = (send: Send) => {
  const organizations = calls(organizationAdministrationContract, send)
  return async (named: string) => {
    const { organizations: found } = await organizations.adminListOrganizations({ query: { search: named, limit: 20 } })
    const id = found.find(({ slug }) => slug === named.toLowerCase())?.id ?? named
    const organization = await orUndefined(organizations.adminGetOrganization({ params: { id } }), 'NOT_FOUND')
    if (organization === undefined) throw new AppError('ORGANIZATION_NOT_FOUND', 400, 'Organization not found')
    return organization
  }
}

interface Invited {
  readonly organizationId: string
  readonly teamId: readonly string[]
}

/** The services for organizations, members and invitations. */
export const organizationServices = (
  send: Send,
  instance: string,
  userOf: ReturnType<typeof findPeople>,
  organizationOf: ReturnType<typeof findOrganizations>,
) => {
  const organizations = calls(organizationAdministrationContract, send)
  const invitations = calls(invitationAdministrationContract, send)
  const withTeams = <T extends { readonly teamId: string | null }>({ teamId, ...invitation }: T) => ({
    ...invitation,
    teamIds: teamId === null ? [] : teamId.split(','),
  })
  return {
    organizations: {
      require: organizationOf,
      createFor: async (_: unknown, input: object, owner: string | undefined, unverified: boolean) => {
        const ownerId = owner === undefined ? undefined : (await userOf(owner)).id
        const created = await organizations.adminCreateOrganization({ body: { ...input, ownerId, unverified } })
        return { ...created, ownerId: ownerId ?? null }
      },
      updateById: (_: unknown, id: string, body: unknown) => organizations.adminPatchOrganization({ params: { id }, body }),
      removeById: (_: unknown, id: string) => organizations.adminDeleteOrganization({ params: { id } }),
    },
    organizationAdministration: {
      get: (id: string) => organizations.adminGetOrganization({ params: { id } }),
      list: async (query: unknown) => {
        const { organizations: rows, next } = await organizations.adminListOrganizations({ query })
        return { rows, next }
      },
      listMembers: async (id: string, query: unknown) => {
        const { members: rows, next } = await organizations.adminListMembers({ params: { id }, query })
        return { rows, next }
      },
      listAllInvitations: async (_: unknown, query: unknown) => {
        const { invitations: rows, next } = await invitations.adminListAllInvitations({ query })
        return { rows: rows.map(withTeams), next }
      },
    },
    members: {
      add: async (
        _: unknown,
        {
          organization,
          user,
          role,
          allowsUnverified: unverified,
        }: Readonly<Record<'organization' | 'user' | 'role', string>> & {
          readonly allowsUnverified: boolean
        },
      ) => {
        const [{ id }, { id: userId }] = [await organizationOf(organization), await userOf(user)]
        const { teamId: _team, ...member } = await organizations.adminAddMember({
          params: { id },
          body: { userId, role, unverified },
        })
        return member
      },
    },
    invitations: {
      invite: async (_: unknown, { organizationId: named, teamId, ...body }: Invited) => {
        const { id } = await organizationOf(named)
        return withTeams(await organizations.adminInvite({ params: { id }, body: { ...body, teamId } }))
      },
      /** The link of an invitation. Null if the API has returned a hash in place of the id, because the caller may not cancel the invitation. */
      linkOf: ({ id }: { readonly id: string }) => (/^[0-9a-f]{32}$/.test(id) ? null : `${instance}/invitation/${id}`),
    },
  }
}
