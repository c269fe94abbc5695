import { beforeCommit, type Tx } from '../../core/db/database.ts'
import { type Actor, type Reaction, type RecordedEvent, reactTo } from '../../core/events/record.ts'
import type { EventType } from '../../core/events/types.ts'
import { inLanguageOf } from '../../core/language.ts'
import type { Users } from '../../identity/users/index.ts'
import { passkeyEvents } from '../methods/passkey/events.ts'
import { recoveryCodeEvents } from '../methods/recovery-codes/events.ts'
import { totpEvents } from '../methods/totp/events.ts'
import { secondFactorEvents } from '../second-factors/events.ts'
import type { Sessions } from '../sessions/index.ts'
import type { AccountMails, Outbox } from './account-mails.ts'
import { type WayInChange, wayInChanges } from './mails.ts'

const types: Readonly<Record<WayInChange, EventType>> = {
  'totp.enabled': totpEvents['totp.enabled'],
  'totp.disabled': totpEvents['totp.disabled'],
  'user.passkey_added': passkeyEvents['user.passkey_added'],
  'user.passkey_removed': passkeyEvents['user.passkey_removed'],
  'second_factor.removed': secondFactorEvents['second_factor.removed'],
  'second_factor.enabled': secondFactorEvents['second_factor.enabled'],
  'second_factor.disabled': secondFactorEvents['second_factor.disabled'],
  'recovery_codes.generated': recoveryCodeEvents['recovery_codes.generated'],
}

interface Deps {
  readonly users: Pick<Users, 'find'>
  readonly sessions: Pick<Sessions, 'deviceOf'>
  readonly mail: Outbox
  readonly accountMails: Pick<AccountMails, 'waysInChanged' | 'passkeyRefused'>
}

/** Tells users by mail that the ways to sign in to their account were changed: one mail for one transaction, sent exactly when it is committed. */
export const waysInNotices = ({ users, sessions, mail, accountMails }: Deps): readonly Reaction[] => {
  const changed = new WeakMap<object, Map<string, Set<WayInChange>>>()

  /** Who has done it. What is known of an administrator's device is not the user's business. */
  const placeOf = ({ actorKind, actorId, subjectId, impersonatorId, userAgent, address }: RecordedEvent) => {
    const isByOther = actorKind !== 'anonymous' && (actorId !== subjectId || impersonatorId !== null)
    return isByOther ? undefined : `${sessions.deviceOf(userAgent)}, ${address}`
  }

  const recipient = async (tx: Tx, actor: Actor, userId: string) => {
    const user = await users.find(tx, userId)
    return user && inLanguageOf(actor, user)
  }

  const note =
    (change: WayInChange) =>
    async (tx: Tx, event: RecordedEvent, { actor }: { readonly actor: Actor }) => {
      const { subjectId, occurredAt } = event
      const byUser = changed.get(tx.knex) ?? new Map<string, Set<WayInChange>>()
      changed.set(tx.knex, byUser)
      const known = byUser.get(subjectId)
      if (known !== undefined) return void known.add(change)
      const found = new Set([change])
      byUser.set(subjectId, found)
      // The other events of the same act are yet to come, and so is an address that it changes.
      beforeCommit(tx, async () => {
        const user = await recipient(tx, actor, subjectId)
        if (user === undefined) return
        const changes = wayInChanges.filter((one) => found.has(one))
        await mail.enqueue(tx, accountMails.waysInChanged(user, changes, placeOf(event), occurredAt))
      })
    }

  return [
    ...wayInChanges.map((change) => reactTo(types[change], note(change))),
    reactTo(passkeyEvents['user.passkey_refused'], async (tx, event, { actor }) => {
      const user = await recipient(tx, actor, event.subjectId)
      if (user !== undefined)
        await mail.enqueue(tx, accountMails.passkeyRefused(user, placeOf(event) ?? event.address, event.occurredAt))
    }),
  ]
}
