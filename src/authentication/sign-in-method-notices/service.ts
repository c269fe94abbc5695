import { apiKeyEvents } from '../../api-keys/events.ts'
import { beforeCommit, type Tx } from '../../core/db/database.ts'
import { type Actor, type Reaction, type RecordedEvent, reactTo } from '../../core/events/record.ts'
import type { EventType } from '../../core/events/types.ts'
import { inLanguageOf } from '../../core/language.ts'
import { identityEvents } from '../../identity/identities/contract.ts'
import { userEvents } from '../../identity/users/contract.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Mail } from '../../mail/index.ts'
import { passkeyEvents } from '../methods/passkey/contract.ts'
import { recoveryCodeEvents } from '../methods/recovery-codes/contract.ts'
import { totpEvents } from '../methods/totp/contract.ts'
import { recoveryEvents } from '../second-factor-recovery/contract.ts'
import { secondFactorEvents } from '../second-factors/contract.ts'
import type { Sessions } from '../sessions/index.ts'
import { sharedKeyPrefix } from '../verification/events.ts'
import type { AccountMails, Notices, WayInChange } from '../verification/index.ts'

/** The changes that a notice can report, each with its event, in the order in which the mail lists them. */
const types: Readonly<Record<WayInChange, EventType>> = {
  'totp.enabled': totpEvents['totp.enabled'],
  'totp.replaced': totpEvents['totp.replaced'],
  'totp.shown': totpEvents['totp.shown'],
  'totp.disabled': totpEvents['totp.disabled'],
  'user.passkey_added': passkeyEvents['user.passkey_added'],
  'user.passkey_removed': passkeyEvents['user.passkey_removed'],
  'second_factor.removed': secondFactorEvents['second_factor.removed'],
  'second_factor.enabled': secondFactorEvents['second_factor.enabled'],
  'second_factor.disabled': secondFactorEvents['second_factor.disabled'],
  'recovery_codes.generated': recoveryCodeEvents['recovery_codes.generated'],
  'user.identity_linked': identityEvents['user.identity_linked'],
  'user.identity_unlinked': identityEvents['user.identity_unlinked'],
  'api_key.created': apiKeyEvents['api_key.created'],
  'api_key.rotated': apiKeyEvents['api_key.rotated'],
}

const wayInChanges = Object.keys(types) as readonly WayInChange[]

interface Deps {
  readonly users: Pick<Users, 'find'>
  readonly sessions: Pick<Sessions, 'placeOf'>
  readonly mail: Pick<Mail, 'enqueue'>
  readonly accountMails: Pick<AccountMails, 'waysInChanged' | 'passkeyRefused' | 'factorRequired' | 'recoveryCancelled'>
  readonly notices: Pick<Notices, 'send'>
}

/**
 * The changes of a user's sign-in methods in one transaction: the kinds of changes, each with the identity provider that it concerns, and
 * the added sign-in methods.
 */
interface Changes {
  readonly providers: Map<WayInChange, string>
  readonly added: Set<string>
}

const isAboutKey = (type: string) => type === 'api_key.created' || type === 'api_key.rotated'

/**
 * The user whose account an event concerns. For an event about an API key, the owner of the key. For a shared key that was created, the
 * person who saw its secret.
 */
const userOf = ({ type, subjectId, data, actorKind, actorId }: RecordedEvent): string | undefined => {
  if (!isAboutKey(type)) return subjectId
  if (data['ownerKind'] === 'user') return String(data['ownerId'])
  return actorKind === 'user' ? (actorId ?? undefined) : undefined
}

/** The names of the added sign-in method in the token of the notice (`Noticed`). A name is the id of the method or its kind. */
const addedBy = (change: WayInChange, { subjectId, data }: RecordedEvent): readonly string[] => {
  // An answer to any notice deletes all personal API keys. Only shared keys therefore need a name.
  if (isAboutKey(change)) return data['ownerKind'] === 'user' ? [] : [`${sharedKeyPrefix}${subjectId}`]
  const id = data[change === 'user.passkey_added' ? 'passkeyId' : 'identityId']
  if (change === 'totp.enabled' || change === 'totp.replaced' || change === 'totp.shown') return ['totp']
  if (change === 'recovery_codes.generated') return ['recovery-codes']
  const isAdded = change === 'user.passkey_added' || change === 'user.identity_linked'
  return isAdded && typeof id === 'string' ? [id] : []
}

/** Mails users about changes of their sign-in methods. For each user, a transaction causes at most one mail, and only if it commits. */
export const createSignInMethodNotices = ({ users, sessions, mail, accountMails, notices }: Deps): readonly Reaction[] => {
  const changed = new WeakMap<object, Map<string, Changes>>()
  /** The users that the transaction has created. The identity provider with which they signed up is not reported as a change. */
  const created = new WeakMap<object, Set<string>>()

  /** The browser and network address from which the change was made. If an administrator made it, they are not shown to the user. */
  const placeOf = (event: RecordedEvent) => {
    const { actorKind, actorId, impersonatorId } = event
    const isByOther = actorKind !== 'anonymous' && (actorId !== userOf(event) || impersonatorId !== null)
    return isByOther ? undefined : sessions.placeOf(event)
  }

  const recipient = async (tx: Tx, actor: Actor, userId: string) => {
    const user = await users.find(tx, userId)
    return user && inLanguageOf(actor, user)
  }

  const note =
    (change: WayInChange) =>
    async (tx: Tx, event: RecordedEvent, { actor }: { readonly actor: Actor }) => {
      const { occurredAt } = event
      const subjectId = userOf(event)
      if (subjectId === undefined) return
      if (change === 'user.identity_linked' && created.get(tx)?.has(subjectId) === true) return
      const byUser = changed.get(tx) ?? new Map<string, Changes>()
      changed.set(tx, byUser)
      const known = byUser.get(subjectId)
      const provider = typeof event.data['provider'] === 'string' ? event.data['provider'] : ''
      for (const name of addedBy(change, event)) known?.added.add(name)
      if (known !== undefined) return void known.providers.set(change, provider)
      const found: Changes = { providers: new Map([[change, provider]]), added: new Set(addedBy(change, event)) }
      byUser.set(subjectId, found)
      // The mail is made just before the commit. All events of the transaction are then known, including a change of the mail address.
      beforeCommit(tx, async () => {
        const user = await recipient(tx, actor, subjectId)
        if (user === undefined) return
        const changes = wayInChanges.flatMap((one) => {
          const provider = found.providers.get(one)
          return provider === undefined ? [] : [{ change: one, provider }]
        })
        const make: Parameters<Notices['send']>[2] = (link) =>
          accountMails.waysInChanged(user, changes, placeOf(event), occurredAt, link)
        await notices.send(tx, user, make, [...found.added])
      })
    }

  return [
    reactTo(userEvents['user.created'], async (tx, { subjectId }) => {
      created.set(tx, (created.get(tx) ?? new Set<string>()).add(subjectId))
    }),
    ...wayInChanges.map((change) => reactTo(types[change], note(change))),
    reactTo(recoveryEvents['recovery.cancelled'], async (tx, event, { actor }) => {
      const user = await recipient(tx, actor, event.subjectId)
      if (user === undefined) return
      await notices.send(tx, user, (link) => accountMails.recoveryCancelled(user, placeOf(event), event.occurredAt, link))
    }),
    // If the requirement starts when the user signs in, no mail is sent, because the user sees the requirement on the pages.
    reactTo(secondFactorEvents['second_factor.required'], async (tx, { subjectId, actorKind, actorId, data }, { actor }) => {
      if (actorKind === 'anonymous' || actorId === subjectId) return
      const user = await recipient(tx, actor, subjectId)
      if (user === undefined || user.secondFactorSince !== null) return
      await mail.enqueue(tx, accountMails.factorRequired(user, new Date(data.dueAt)))
    }),
    reactTo(passkeyEvents['user.passkey_refused'], async (tx, event, { actor }) => {
      const user = await recipient(tx, actor, event.subjectId)
      if (user !== undefined)
        await mail.enqueue(tx, accountMails.passkeyRefused(user, placeOf(event) ?? event.address, event.occurredAt))
    }),
  ]
}
