import type { Core, Holdings } from '../core/core.ts'
import type { Db, Tx } from '../core/db/database.ts'
import type { Actor } from '../core/events/record.ts'
import { organizationEvents } from './events.ts'
import * as invitations from './invitations/store.ts'
import { redactedId } from './invitations/tokens.ts'
import * as members from './members/store.ts'
import { listNamed } from './store.ts'

/** What an account has of organizations, where it is to change hands or to end. */
export interface OrganizationHoldings {
  holdingsOf(db: Db, userId: string): Promise<Pick<Holdings, 'organizations' | 'invitations'>>
  /** Cancels what a person has sent and nobody has answered. The organizations are not locked: who accepts one locks users after them. */
  cancelSent(tx: Tx, actor: Actor, userId: string): Promise<void>
}

/** Enough to be recognized by. */
const mostOrganizations = 100
const mostMembers = 20

export const createOrganizationHoldings = ({ clock, events }: Pick<Core, 'clock' | 'events'>): OrganizationHoldings => ({
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
    const sent = await invitations.listSentPending(db, userId)
    return { organizations, invitations: sent.filter(({ expiresAt }) => expiresAt > clock.now()).length }
  },
  cancelSent: async (tx, actor, userId) => {
    for (const invitation of await invitations.listSentPending(tx, userId)) {
      if (!(await invitations.settle(tx, invitation, 'canceled'))) continue
      const about = { subject: redactedId(invitation.id), organizationId: invitation.organizationId, data: {} }
      await events.record(tx, actor, organizationEvents['invitation.canceled'], about)
    }
  },
})
