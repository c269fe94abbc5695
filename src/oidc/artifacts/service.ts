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
  /** Of codes, tokens and interactions. */
  readonly retention: Retention
  /**
   * Deletes codes and tokens of a user; consents stay, and with `keptSessionId` what was authorized in that session. The caller has locked the
   * user's row: a refresh at the same time either comes first, or finds its token deleted.
   */
  endAccess(tx: Tx, userId: string, keptSessionId?: string): Promise<void>
  /**
   * Deletes what applications hold for an organization, where it requires two factors and the person gave one; with `userId` what they hold of
   * this member. The organization is locked.
   */
  endOfOneFactor(tx: Tx, organizationId: string, userId?: string): Promise<void>
  /** Deletes what applications hold of a user for organizations that require two factors: the user has one no more. Their row is locked. */
  endOfStrictOrganizations(tx: Tx, userId: string): Promise<void>
  /** As `endAccess`, and deletes the consents of the user. */
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
