import { type Principal, systemPrincipal } from '../../access/principal.ts'
import { administratorRole, defaultRole, type InstanceRoles, splitRoles } from '../../access/roles.ts'
import type { Core } from '../../core/core.ts'
import type { Db, Tx } from '../../core/db/database.ts'
import type { Actor } from '../../core/events/record.ts'
import type {
  AuthenticationMethod,
  MethodName,
  OwnedFactor,
  RememberedBrowsers,
  SecondFactor,
} from '../../core/second-factors.ts'
import { daySeconds } from '../../core/time.ts'
import type { User, Users } from '../../identity/users/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { SecondFactorConfig } from './contract.ts'
import { secondFactorErrors, secondFactorEvents } from './contract.ts'

/** The fields of a user on which the decision about a sign-in depends. */
export type SecondFactorUser = Pick<
  User,
  'id' | 'role' | 'twoFactorEnabled' | 'secondFactorSince' | 'secondFactorDue' | 'secondFactorRequired'
>

/**
 * The rule that requires a second factor of a user: an operator requires it of this user, or the configuration requires it for roles or
 * for everybody.
 */
export interface Requirement {
  readonly by: 'person' | 'roles' | 'everybody'
  readonly roles: readonly string[]
}

/** A second factor of a user in a list. */
export interface ListedFactor extends OwnedFactor {
  readonly kind: MethodName
  /** False if the factor cannot be used now: its kind is disabled, or all recovery codes are used. */
  readonly counts: boolean
  /** False for recovery codes. They are deleted together with the last other factor. */
  readonly removable: boolean
}

/** The facts about second factors that the sign-in policy needs. */
export interface SecondFactorFacts {
  /** The methods with which the user can give a second factor. */
  readonly enrolled: readonly AuthenticationMethod[]
  /** True if the user needs two factors to sign in, and has a second factor. */
  readonly needsSecondFactor: boolean
  /** True if the user needs two factors to sign in, has no second factor, and the time for adding one is over. */
  readonly mustEnrol: boolean
  /**
   * True if this is a remembered browser, which replaces the second factor. A remembered browser does not raise the authentication class
   * (`acr`).
   */
  readonly isRemembered: boolean
}

export interface SecondFactors {
  /**
   * The facts about a user that the sign-in policy needs (`attempts/rules.ts`). Nothing is read if the user has no second factor and
   * needs none.
   */
  factsOf(db: Db, user: SecondFactorUser, principal: Principal): Promise<SecondFactorFacts>
  /** Notes that the caller has signed in with a remembered browser in place of the second factor. */
  noteRemembered(tx: Tx, principal: Principal, userId: string): Promise<void>
  /** The methods that a user can add as a second factor. Methods that only replace another second factor are left out. */
  available(): readonly AuthenticationMethod[]
  /** The methods that the user can use as a second factor. */
  enrolled(db: Db, user: Pick<User, 'id' | 'role'>): Promise<readonly AuthenticationMethod[]>
  /** True if a second factor is required of administrators, at once or after some days. */
  isRequiredOfAdministrators(db: Db): Promise<boolean>
  /** The number of days for which a remembered browser replaces the second factor; 0 if browsers are not remembered. */
  rememberDays(): number
  /** True if a second factor is required of the user, at once or after some days. */
  isRequired(db: Db, user: RequiredUser): Promise<boolean>
  /** The first rule that requires a second factor of the user; undefined if none does. */
  requirementOf(db: Db, user: RequiredUser): Promise<Requirement | undefined>
  /** All second factors of the user, including those that cannot be used now. */
  list(db: Db, userId: string): Promise<readonly ListedFactor[]>
  /** The number of the user's remembered browsers. */
  countRemembered(db: Db, userId: string): Promise<number>
  /**
   * Requires a second factor of this user, whatever roles the user has, or ends such a requirement. The caller has locked the row of the
   * user.
   */
  require(tx: Tx, actor: Actor, user: SecondFactorUser, isRequired: boolean): Promise<void>
  /**
   * Removes a second factor of a user, and forgets the user's remembered browsers. Returns false if the user has no factor with this id.
   * The caller has locked the row of the user.
   */
  remove(tx: Tx, actor: Actor, userId: string, id: string): Promise<boolean>
  /**
   * True if one factor is not enough to sign the user in. That is so if the user has switched on two-step verification, or has a second
   * factor and it is required.
   */
  isNeeded(db: Db, user: RequiredUser & Pick<User, 'twoFactorEnabled'>): Promise<boolean>
  /**
   * Stores whether a second factor is required of the user, and until when the user has to add it. Called in the transaction of a sign-in
   * or of a change of roles.
   */
  noteRequirement(tx: Tx, actor: Actor, user: SecondFactorUser): Promise<void>
  /**
   * Called after a user's roles have changed, in the transaction of the change. Stores whether a second factor is required now, of this
   * user and of other users with roles.
   */
  roleChanged(tx: Tx, actor: Actor, userId: string): Promise<void>
  /**
   * Called in the transaction that adds or removes a factor. The caller has locked the row of the user. With `on`, the password alone is
   * not enough any more, so all other sessions end. With `off`, the password is enough again. If the last factor was removed, two-step
   * verification is always switched off. Throws THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED if users remove their own last factor although a
   * second factor is required of them.
   */
  changed(tx: Tx, actor: Actor, userId: string, turn?: 'on' | 'off'): Promise<void>
  /** Removes all second factors of a user. The caller has locked the row of the user. */
  removeAll(tx: Tx, actor: Actor, userId: string): Promise<void>
  /**
   * Stores for users with roles whether a second factor is required, because the configuration may have changed. Called at the start of
   * the daemon.
   */
  applyConfiguration(): Promise<void>
}

/** The fields of a user on which the rules about requirements depend. */
type RequiredUser = Pick<User, 'role' | 'secondFactorSince' | 'secondFactorRequired'>

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'events'> {
  readonly users: Users
  readonly sessions: Pick<Sessions, 'endAll'>
  readonly instanceRoles: Pick<InstanceRoles, 'permissionsOfRoles'>
  readonly config: SecondFactorConfig
  /** The kinds of second factors that features have registered. The list is complete only when all features are built. */
  readonly registered: () => { readonly factors: readonly SecondFactor[]; readonly remembered: RememberedBrowsers | undefined }
}

export const createSecondFactors = (deps: Deps): SecondFactors => {
  const { db: instance, transact, clock, events, users, sessions, instanceRoles, config, registered } = deps
  const { requiredFor } = config

  const requirementOf: SecondFactors['requirementOf'] = async (db, { role, secondFactorSince, secondFactorRequired }) => {
    if (secondFactorRequired) return { by: 'person', roles: [] }
    if (requiredFor !== 'auto') {
      if (requiredFor.includes(defaultRole)) return { by: 'everybody', roles: [] }
      const roles = splitRoles(role).filter((one) => requiredFor.includes(one))
      return roles.length === 0 ? undefined : { by: 'roles', roles }
    }
    if (role === defaultRole) return undefined
    const roles = splitRoles(role).filter((one) => instanceRoles.permissionsOfRoles(one).size > 0)
    if (roles.length === 0) return undefined
    return secondFactorSince !== null || (await users.hasSecondFactorAmongRoles(db)) ? { by: 'roles', roles } : undefined
  }
  const isRequired: SecondFactors['isRequired'] = async (db, user) => (await requirementOf(db, user)) !== undefined

  const dueOf = ({ secondFactorDue }: Pick<User, 'secondFactorDue'>) =>
    secondFactorDue ?? clock.after(config.graceDays * daySeconds)

  const hasStrong = async (db: Db, user: Pick<User, 'id' | 'role'>) => {
    for (const factor of registered().factors)
      if (factor.isAlternative !== true && (await factor.isEnrolled(db, user))) return true
    return false
  }

  const enrolled: SecondFactors['enrolled'] = async (db, user) => {
    const found: AuthenticationMethod[] = []
    // Methods that count without another second factor come first, because pages offer the first method.
    const byRank = registered().factors.toSorted((a, b) => Number(a.isAlternative ?? false) - Number(b.isAlternative ?? false))
    for (const factor of byRank) if (await factor.isEnrolled(db, user)) found.push(factor.method)
    return found
  }

  const recordRequired = (tx: Tx, actor: Actor, subject: string, due: Date) =>
    events.record(tx, actor, secondFactorEvents['second_factor.required'], { subject, data: { dueAt: due.toISOString() } })

  const noteRequirement: SecondFactors['noteRequirement'] = async (tx, actor, user) => {
    const wanted = await isRequired(tx, user)
    if (wanted === (user.secondFactorDue !== null)) return
    const due = wanted ? dueOf(user) : null
    await users.setSecondFactor(tx, user.id, { secondFactorDue: due })
    if (due !== null) await recordRequired(tx, actor, user.id, due)
  }

  /** Stores for all users with a role whether a second factor is required. A change of roles or of the configuration can affect each of them. */
  const noteForRoles = async (tx: Tx, actor: Actor, exceptId?: string) => {
    for (const user of await users.listWithRoles(tx)) if (user.id !== exceptId) await noteRequirement(tx, actor, user)
  }

  const changed: SecondFactors['changed'] = async (tx, actor, userId, turn) => {
    const user = await users.require(tx, userId)
    const isStrong = await hasStrong(tx, user)
    const isOwn = actor.user?.id === userId
    if (!isStrong && isOwn && (await isRequired(tx, user)))
      throw secondFactorErrors.error('THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED')
    const isOn = isStrong && (turn === undefined ? user.twoFactorEnabled : turn === 'on')
    const since = isStrong ? (user.secondFactorSince ?? clock.now()) : null
    await users.setSecondFactor(tx, userId, { twoFactorEnabled: isOn, secondFactorSince: since })
    const { factors, remembered } = registered()
    if (!isStrong) for (const factor of factors) if (factor.isAlternative === true) await factor.removeAll(tx, userId)
    if (!isStrong || (user.twoFactorEnabled && !isOn)) await remembered?.forgetAll(tx, actor, userId)
    if (isStrong !== (user.secondFactorSince !== null) && user.role !== defaultRole) await noteForRoles(tx, actor, userId)
    if (isOn === user.twoFactorEnabled) return
    // Sessions with only one factor must end, because the user now needs two factors.
    if (isOn) await sessions.endAll(tx, actor, userId, isOwn ? actor.session?.id : undefined)
    const type = secondFactorEvents[isOn ? 'second_factor.enabled' : 'second_factor.disabled']
    await events.record(tx, actor, type, { subject: userId, data: {} })
  }

  return {
    available: () =>
      registered().factors.flatMap(({ isAlternative, isOff, method }) =>
        isAlternative === true || isOff === true || method.raisesNoAcr === true ? [] : method,
      ),
    enrolled,
    rememberDays: () => (registered().remembered === undefined ? 0 : config.rememberDays),
    isRequired,
    isRequiredOfAdministrators: (db) =>
      isRequired(db, { role: administratorRole, secondFactorSince: null, secondFactorRequired: false }),
    requirementOf,
    list: async (db, userId) => {
      const found: ListedFactor[] = []
      for (const { list, remove, method, isOff } of registered().factors)
        for (const { id, name, createdAt, lastUsedAt, left } of (await list?.(db, userId)) ?? [])
          found.push({
            ...{ id, name, createdAt, lastUsedAt, ...(left === undefined ? {} : { left }) },
            ...{ kind: method.name, counts: isOff !== true && left !== 0, removable: remove !== undefined },
          })
      return found
    },
    countRemembered: async (db, userId) => (await registered().remembered?.count(db, userId)) ?? 0,
    require: async (tx, actor, user, wanted) => {
      if (user.secondFactorRequired === wanted) return
      await users.setSecondFactor(tx, user.id, { secondFactorRequired: wanted })
      const changed = { ...user, secondFactorRequired: wanted }
      if (!wanted) {
        await noteRequirement(tx, actor, changed)
        const data = { isStillRequired: await isRequired(tx, changed) }
        await events.record(tx, actor, secondFactorEvents['second_factor.requirement_lifted'], { subject: user.id, data })
      } else if (user.secondFactorDue === null) await noteRequirement(tx, actor, changed)
      // A role requires a second factor of the user already. The time for adding one continues to run.
      else await recordRequired(tx, actor, user.id, user.secondFactorDue)
    },
    remove: async (tx, actor, userId, id) => {
      const { factors, remembered } = registered()
      for (const { remove } of factors)
        if ((await remove?.(tx, actor, userId, id)) === true) {
          await changed(tx, actor, userId)
          await remembered?.forgetAll(tx, actor, userId)
          return true
        }
      return false
    },
    isNeeded: async (db, user) => user.twoFactorEnabled || (user.secondFactorSince !== null && (await isRequired(db, user))),
    noteRequirement,
    roleChanged: async (tx, actor, userId) => {
      const user = await users.require(tx, userId)
      await noteRequirement(tx, actor, user)
      // With `requiredFor: auto`, users with roles need a second factor as soon as one of them has it. A change of this user's roles can
      // therefore change the requirement for other users.
      if (user.secondFactorSince !== null) await noteForRoles(tx, actor, userId)
    },
    changed,
    factsOf: async (db, user, principal) => {
      const required = await isRequired(db, user)
      const needsSecondFactor = user.twoFactorEnabled || (required && user.secondFactorSince !== null)
      const mustEnrol =
        required && user.secondFactorSince === null && config.passwordAlone === 'enrol' && dueOf(user) <= clock.now()
      if (!needsSecondFactor) return { enrolled: [], needsSecondFactor, mustEnrol, isRemembered: false }
      const deviceId = 'deviceId' in principal ? principal.deviceId?.() : undefined
      const isRemembered = (await registered().remembered?.isRemembered(db, user.id, deviceId)) ?? false
      return { enrolled: await enrolled(db, user), needsSecondFactor, mustEnrol, isRemembered }
    },
    noteRemembered: async (tx, principal, userId) => registered().remembered?.use(tx, principal, userId),
    removeAll: async (tx, actor, userId) => {
      const { secondFactorSince } = await users.require(tx, userId)
      for (const factor of registered().factors) await factor.removeAll(tx, userId)
      if (secondFactorSince !== null)
        await events.record(tx, actor, secondFactorEvents['second_factor.removed'], { subject: userId, data: {} })
      await changed(tx, actor, userId)
    },
    applyConfiguration: async () => {
      const holders = await users.listWithRoles(instance)
      if (holders.length > 0) await transact((tx) => noteForRoles(tx, systemPrincipal('second-factors')))
    },
  }
}
