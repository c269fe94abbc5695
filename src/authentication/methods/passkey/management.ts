import type { z } from 'zod'
import type { PersonPrincipal, UserPrincipal } from '../../../access/principal.ts'
import type { RequireProof } from '../../../access/proof.ts'
import type { Core } from '../../../core/core.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import type { SecondFactors } from '../../second-factors/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import { type Passkey, passkeyErrors, passkeyEvents } from './contract.ts'
import * as store from './store.ts'

/** A passkey as pages and API show it. */
export type ShownPasskey = z.output<typeof Passkey>

export const shownPasskey = (row: store.PasskeyRow): ShownPasskey => {
  const { credentialId, backupEligible, transports, sessionId: _, ...rest } = row
  return {
    ...rest,
    credentialID: credentialId,
    deviceType: backupEligible ? 'multiDevice' : 'singleDevice',
    transports: transports.length === 0 ? null : transports.join(','),
  }
}

/** Shows users their passkeys, and lets them rename or remove a passkey. */
export interface Passkeys {
  /** The passkeys of a user. The oldest comes first. */
  list(db: Db, userId: string): Promise<readonly ShownPasskey[]>
  /** Counts the user's passkeys that can sign in without another factor. Returns zero if passkeys are disabled. */
  countWaysIn(db: Db, userId: string): Promise<number>
  /** Renames a passkey of the caller. Throws PASSKEY_NOT_FOUND, also if the passkey belongs to another user. */
  rename(principal: PersonPrincipal, id: string, name: string): Promise<ShownPasskey>
  /**
   * Removes a passkey of the caller. Throws PASSKEY_NOT_FOUND, YOU_CANT_REMOVE_YOUR_LAST_WAY_TO_SIGN_IN, and the errors of `RequireProof`
   * and `SecondFactors.changed`. Throws UNAUTHORIZED if the session has ended meanwhile.
   */
  remove(principal: UserPrincipal, id: string): Promise<void>
}

interface Deps extends Pick<Core, 'transact' | 'events'> {
  readonly sessions: Pick<Sessions, 'requireAlive'>
  readonly secondFactors: SecondFactors
  readonly requireProof: RequireProof
  /** Counts the sign-in methods of the user, in all features. */
  readonly countSignInMethods: (tx: Tx, userId: string) => Promise<number>
  readonly isEnabled: boolean
  /** True if users may remove their last sign-in method (`accounts.unlinkingAllAllowed`). */
  readonly lastMayGo: boolean
}

export const createPasskeys = ({
  transact,
  events,
  sessions,
  secondFactors,
  requireProof,
  countSignInMethods,
  isEnabled,
  lastMayGo,
}: Deps): Passkeys => ({
  list: async (db, userId) => (await store.listByUser(db, userId)).map(shownPasskey),
  countWaysIn: async (db, userId) =>
    isEnabled ? (await store.listByUser(db, userId)).filter(({ userVerified }) => userVerified).length : 0,
  rename: (principal, id, name) =>
    transact(async (tx) => {
      const { user } = principal
      const row = await store.rename(tx, user.id, id, name)
      if (row === undefined) throw passkeyErrors.error('PASSKEY_NOT_FOUND')
      await events.record(tx, principal, passkeyEvents['user.passkey_renamed'], { subject: user.id, data: { passkeyId: id } })
      return shownPasskey(row)
    }),
  remove: async (principal, id) => {
    await requireProof(principal, 'remove-passkey')
    await transact(async (tx) => {
      const { user } = principal
      // This check also locks the user. Of two simultaneous removals, the second one therefore sees the first, and the user keeps one
      // sign-in method.
      await sessions.requireAlive(tx, principal)
      if (!(await store.deletePasskey(tx, user.id, id))) throw passkeyErrors.error('PASSKEY_NOT_FOUND')
      if (!lastMayGo && (await countSignInMethods(tx, user.id)) === 0)
        throw passkeyErrors.error('YOU_CANT_REMOVE_YOUR_LAST_WAY_TO_SIGN_IN')
      await secondFactors.changed(tx, principal, user.id)
      await events.record(tx, principal, passkeyEvents['user.passkey_removed'], { subject: user.id, data: { passkeyId: id } })
    })
  },
})
