import type { Core } from '../../core/core.ts'
import type { Tx } from '../../core/db/database.ts'
import { type Retention, retentionOfRows } from '../../core/retention.ts'
import { deleteConsents } from '../interactions/store.ts'
import {
  deleteByAccount,
  deleteByAccountExcept,
  deleteOfOneFactor,
  deleteOfStrictOrganizations,
  expiredArtifacts,
} from './store.ts'

export interface Artifacts {
  /** The retention rule that deletes expired codes, tokens and interactions. */
  readonly retention: Retention
  /**
   * Deletes the codes and tokens of a user. Consents stay. Codes and tokens that were authorized in the session `keptSessionId` stay too.
   * The caller has locked the row of the user, so a simultaneous refresh either finishes before the deletion or finds its token deleted.
   */
  endAccess(tx: Tx, userId: string, keptSessionId?: string): Promise<void>
  /**
   * Deletes the codes and tokens for an organization that requires two factors, if they come from a sign-in with one factor. With
   * `userId` only the codes and tokens of this member are deleted. The caller has locked the organization.
   */
  endOfOneFactor(tx: Tx, organizationId: string, userId?: string): Promise<void>
  /**
   * Called when a user has lost the second factor. Deletes the user's codes and tokens for organizations that require two factors. The
   * caller has locked the row of the user.
   */
  endOfStrictOrganizations(tx: Tx, userId: string): Promise<void>
  /** Deletes the codes, tokens and consents of a user. */
  forgetUser(tx: Tx, userId: string): Promise<void>
}

export const createArtifacts = (core: Pick<Core, 'db' | 'transact' | 'clock'>): Artifacts => ({
  endAccess: async (tx, userId, keptSessionId) => {
    if (keptSessionId === undefined) await deleteByAccount(tx, userId)
    else await deleteByAccountExcept(tx, userId, keptSessionId)
  },
  endOfOneFactor: async (tx, organizationId, userId) => void (await deleteOfOneFactor(tx, organizationId, userId)),
  endOfStrictOrganizations: async (tx, userId) => void (await deleteOfStrictOrganizations(tx, userId)),
  forgetUser: async (tx, userId) => {
    await deleteByAccount(tx, userId)
    await deleteConsents(tx, userId)
  },
  retention: retentionOfRows(core, 'codes, tokens and authorizations', 'that have expired', () =>
    expiredArtifacts(core.clock.now()),
  ),
})
