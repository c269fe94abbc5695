import type { z } from 'zod'
import type { SystemCaller } from '../core/caller.ts'
import type { Clock } from '../core/clock.ts'
import { type Transact, type Tx, uniqueViolation } from '../core/database.ts'
import type { Entropy } from '../core/entropy.ts'
import type { Users } from '../users/index.ts'
import type { CreateOrganization } from './contract.ts'
import { organizationErrors } from './errors.ts'
import * as store from './store.ts'

/** A tenant: people, and later what they have paid for, belong to it. */
export interface Organization {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly logo: string | null
  readonly createdAt: Date
}

export interface Organizations {
  /**
   * Creates an organization; `owner`, an id or address, becomes its member with the role `owner`.
   * Throws ORGANIZATION_ALREADY_EXISTS (the unique index decides) and USER_NOT_FOUND.
   */
  create(
    caller: SystemCaller,
    input: z.output<typeof CreateOrganization>,
    owner: string | undefined,
  ): Promise<Organization & { readonly ownerId: string | null }>
  /** Asked before a user is deleted. Throws YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER. */
  refuseOnlyOwner(tx: Tx, user: { readonly id: string }): Promise<void>
}

interface Deps {
  readonly transact: Transact
  readonly clock: Clock
  readonly entropy: Entropy
  readonly users: Users
}

export const createOrganizations = ({ transact, clock, entropy, users }: Deps): Organizations => ({
  create: (_caller, { name, slug }, owner) =>
    transact(async (tx) => {
      const user = owner === undefined ? undefined : await users.require(tx, owner)
      const createdAt = clock.now()
      const organization = { id: entropy.id(), name, slug, logo: null, metadata: null, createdAt }
      try {
        await store.insertOrganization(tx, organization)
      } catch (error) {
        if (uniqueViolation(error) !== undefined) throw organizationErrors.refuse('ORGANIZATION_ALREADY_EXISTS')
        throw error
      }
      if (user !== undefined) {
        const membership = { organizationId: organization.id, userId: user.id, role: 'owner' }
        await store.insertMember(tx, { id: entropy.id(), ...membership, createdAt })
      }
      return { ...organization, ownerId: user?.id ?? null }
    }),
  refuseOnlyOwner: async (tx, { id }) => {
    const owners = (await store.lockFellowMembers(tx, id)).filter(({ role }) => role.split(',').includes('owner'))
    const isOnlyOwner = owners.some(
      (own) => own.userId === id && !owners.some((other) => other.userId !== id && other.organizationId === own.organizationId),
    )
    if (isOnlyOwner) throw organizationErrors.refuse('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
  },
})
