import type { Core, Holdings } from '../core/core.ts'
import type { Db } from '../core/db/database.ts'
import * as invitations from './invitations/store.ts'
import * as members from './members/store.ts'
import { listNamed } from './store.ts'

/** Finds the organizations and roles of an account. They are shown to the next owner of the account before it is handed over. */
export interface OrganizationHoldings {
  holdingsOf(db: Db, userId: string): Promise<Pick<Holdings, 'organizations' | 'invitations'>>
}

/** Largest number of organizations that are named. It is enough to recognise the account. */
const mostOrganizations = 100
const mostMembers = 20

export const createOrganizationHoldings = ({ clock }: Pick<Core, 'clock'>): OrganizationHoldings => ({
  holdingsOf: async (db, userId) => {
    const organizations = []
    for (const { id, name, role } of await listNamed(db, userId, mostOrganizations)) {
      const page = { limit: mostMembers + 1, offset: 0, sortBy: 'createdAt', sortDirection: 'asc' } as const
      const others = (await members.listMembers(db, id, page)).filter((member) => member.userId !== userId)
      organizations.push({
        ...{ id, name, role, memberCount: await members.countMembers(db, id) },
        members: others
          .slice(0, mostMembers)
          .map(({ user, role: theirs }) => ({ name: user.name, email: user.email, role: theirs })),
      })
    }
    const sent = await invitations.listPendingBy(db, { inviterId: userId }, clock.now())
    return { organizations, invitations: sent.length }
  },
})
