import type { Principal } from '../access/principal.ts'
import { coversPermissions, createInstanceRoles, type RoleConfig } from '../access/roles.ts'
import type { Clock } from '../core/clock.ts'
import { ConfigError } from '../core/config.ts'
import { type ConfigKey, fromText, keyOfName } from '../core/config-keys.ts'
import type { Configuration, Trial, TrialStep } from '../core/configuration.ts'
import type { Db } from '../core/db/database.ts'
import { coreErrors, type Issue } from '../core/errors.ts'
import type { Setting, StoredSetting } from '../core/settings.ts'
import type { Users } from '../identity/users/index.ts'
import { settingsErrors } from './contract.ts'
import { type DescribedChange, type Difference, describe, differencesOf, type Wanted } from './difference.ts'
import type { StoredSettings } from './stored.ts'

/** The result of a test of a server. */
export interface TrialResult extends Pick<Trial, 'kind' | 'subject'> {
  readonly hasPassed: boolean
  readonly steps: readonly TrialStep[]
}

/** A change of settings that has passed validation. All features can be built with it. */
export interface Plan {
  readonly changes: readonly Difference[]
  readonly shown: readonly DescribedChange[]
  /** All settings as they will be after the change. */
  settings(): readonly Setting[]
  /** The tests of the servers that the change affects. */
  readonly trials: readonly Trial[]
  /** Returns whether the user could sign in after the change. */
  signsIn(db: Db, userId: string): Promise<boolean>
}

const issueOf = (problem: string): Issue => {
  const at = problem.indexOf(': ')
  return at < 0 ? { path: '', message: problem } : { path: problem.slice(0, at), message: problem.slice(at + 2) }
}

/** Converts an error about the configuration or its files to an error of the API call. */
const asInvalid = (error: unknown): unknown => {
  const refusal = (error as { refusal?: unknown }).refusal
  if (typeof refusal !== 'string') return error
  const problems = error instanceof ConfigError ? error.problems : [(error as Error).message]
  return settingsErrors.error('SETTINGS_ARE_INVALID', {
    message: `Settings are invalid: ${problems.join('; ')}`,
    issues: problems.map(issueOf),
  })
}

const settingOf = (settings: readonly Setting[], name: string) => settings.find(({ key }) => key === name)

/** Runs the tests of the servers that the change affects. */
export const runTrials = ({ trials, changes }: Pick<Plan, 'trials' | 'changes'>): Promise<readonly TrialResult[]> =>
  Promise.all(
    trials
      .filter(({ touches }) => changes.some(({ name }) => touches(name)))
      .map(async ({ kind, subject, run }) => {
        const steps = await run()
        return { kind, subject, steps, hasPassed: steps.every(({ outcome }) => outcome !== 'failed') }
      }),
  )

/** Throws SETTING_DOES_NOT_WORK with the servers' responses if a test has failed. */
export const requirePassed = (trials: readonly TrialResult[]): void => {
  const issues = trials.flatMap(({ subject, steps }) =>
    steps.flatMap(({ outcome, message, remedy }) =>
      outcome === 'failed' ? [{ path: subject, message: remedy === null ? message : `${message}. ${remedy}` }] : [],
    ),
  )
  if (issues.length > 0)
    throw settingsErrors.error('SETTING_DOES_NOT_WORK', { message: issues.map(({ message }) => message).join('; '), issues })
}

/** Refuses a change after which no administrator could sign in, if one can sign in now. Throws SETTINGS_ARE_INVALID. */
const requireAdministrator = async (
  db: Db,
  administrators: readonly string[],
  { changes, signsIn }: Pick<Plan, 'changes' | 'signsIn'>,
  now: () => Pick<Plan, 'signsIn'>,
): Promise<void> => {
  const isAny = async (signsInThere: Plan['signsIn']) => {
    for (const id of administrators) if (await signsInThere(db, id)) return true
    return false
  }
  if (changes.length === 0 || administrators.length === 0 || (await isAny(signsIn)) || !(await isAny(now().signsIn))) return
  const issues = changes.map(({ name }) => ({ path: name, message: 'no administrator could sign in any more' }))
  throw settingsErrors.error('SETTINGS_ARE_INVALID', {
    message: `Settings are invalid: with ${issues.map(({ path }) => path).join(', ')} no administrator could sign in any more; give one another sign-in method first`,
    issues,
  })
}

interface Deps {
  readonly users: Pick<Users, 'listAdministratorIds'>
  readonly configuration: Configuration
  readonly clock: Clock
}

/** Makes the function that finds out what a change of settings would do, or refuses the change. It changes nothing. */
export const createPlanning = ({ configuration, clock, users }: Deps) => {
  const requireKey = (name: string): ConfigKey => {
    const key = keyOfName(configuration.keys, name)
    if (key !== undefined) return key
    const issues = [{ path: name, message: 'unknown key' }]
    throw settingsErrors.error('SETTING_NOT_FOUND', { message: `There is no setting ${name}`, issues })
  }

  /** Refuses settings that cannot be stored in the database, and settings that the file, the environment or an option overrides. */
  const requireStorable = (changes: readonly Difference[]) => {
    const settings = configuration.settings()
    for (const { key, name, after } of changes) {
      // Removing a stored value that has no effect is always allowed.
      if (after === undefined) continue
      if (key.needsRestart) {
        const message = `${name} is read at the start: set it in the file of the configuration or by ${key.variable}, and restart`
        throw settingsErrors.error('SETTING_NEEDS_A_RESTART', { message })
      }
      const { isLocked = false, from } = settingOf(settings, name) ?? {}
      if (isLocked)
        throw settingsErrors.error('SETTING_IS_LOCKED', { message: `${name} is set by ${from}, which wins: change it there` })
    }
  }

  const placed = ({ settings, version }: StoredSettings, changes: readonly Difference[]): readonly StoredSetting[] => {
    const changed = new Map(changes.map(({ name, after }) => [name, after]))
    const now = { version: version + 1, changedAt: clock.now(), changedBy: { kind: 'system', id: null } }
    return [
      ...settings.filter(({ key }) => !changed.has(key)),
      ...[...changed].flatMap(([key, value]) => (value === undefined ? [] : [{ key, value, ...now }])),
    ]
  }

  /** Refuses a change that gives an instance role more permissions than the principal has. */
  const requireRoles = (principal: Principal, after: readonly Setting[]) => {
    const rolesOf = (settings: readonly Setting[]) =>
      createInstanceRoles((settingOf(settings, 'access.roles')?.value ?? {}) as Readonly<Record<string, RoleConfig>>)
    const [old, next] = [rolesOf(configuration.settings()), rolesOf(after)]
    for (const { name, permissions } of next.all) {
      const had = old.permissionsOfRoles(name)
      const given = permissions.filter((permission) => !had.has(permission))
      if (!coversPermissions(principal, given)) throw coreErrors.error('FORBIDDEN')
    }
  }

  /** Plans a change. Throws SETTINGS_ARE_INVALID and the other errors in the contract. */
  const plan = async (db: Db, principal: Principal, stored: StoredSettings, wanted: Wanted): Promise<Plan> => {
    const before = new Map(stored.settings.map(({ key, value }) => [key, value]))
    // The value of a secret has to be text, as in the environment. Several secrets are separated by commas.
    const typed = ([name, value]: readonly [string, unknown]) => {
      const key = requireKey(name)
      return [name, key.secret && typeof value === 'string' ? fromText(key, value) : value] as const
    }
    const changes = differencesOf(new Map([...wanted].map(typed)), before, requireKey)
    requireStorable(changes)
    const planned = tryOut(principal, stored, changes)
    await requireAdministrator(db, await users.listAdministratorIds(db), planned, () => tryOut(principal, stored, []))
    return planned
  }

  const tryOut = (principal: Principal, stored: StoredSettings, changes: readonly Difference[]): Plan => {
    try {
      const tried = configuration.tryOut(placed(stored, changes))
      requireRoles(principal, tried.settings())
      const touches = (name: string) => changes.some((change) => change.name === name)
      const signsIn = (db: Db, userId: string) => tried.signsIn(db, userId, touches)
      return { changes, shown: changes.map(describe), ...tried, signsIn }
    } catch (error) {
      throw asInvalid(error)
    }
  }
  return { plan, isKnown: (name: string) => keyOfName(configuration.keys, name) !== undefined }
}
