import type { Names } from '../access/names.ts'
import type { Principal } from '../access/principal.ts'
import type { RequireProof } from '../access/proof.ts'
import { type ConfigKey, keyOfName } from '../core/config-keys.ts'
import type { Configuration } from '../core/configuration.ts'
import type { Core } from '../core/core.ts'
import { lockName, type Tx } from '../core/db/database.ts'
import { coreErrors } from '../core/errors.ts'
import type { IfMatch } from '../core/etag.ts'
import type { Setting } from '../core/settings.ts'
import type { Users } from '../identity/users/index.ts'
import { settingsErrors, settingsEvents } from './contract.ts'
import { type DescribedChange, type Difference, describe, type Wanted } from './difference.ts'
import { createHistory, type HistoryPage } from './history.ts'
import { createPlanning, requirePassed, runTrials, type TrialResult } from './plan.ts'
import * as store from './store.ts'
import { readSettings, type StoredSettings, valueIn } from './stored.ts'

export interface ChangeResult {
  readonly version: number
  readonly isApplied: boolean
  readonly changes: readonly DescribedChange[]
  readonly trials: readonly TrialResult[]
}

/** How a change is made. */
export interface Manner {
  readonly dryRun?: boolean
  readonly force?: boolean
  /** The version of the settings that the caller has seen. If the settings have changed since, the change is refused. */
  readonly ifMatch?: IfMatch<{ readonly version: number; readonly settings: never[] }>
}

/** Reads and changes the settings in the database. */
export interface Settings {
  /** All configuration keys. */
  readonly keys: readonly ConfigKey[]
  /** True if the value of the setting is a secret. */
  isSecret(name: string): boolean
  /** Returns all settings with their values on this node, and the version of the settings in the database. */
  list(): Promise<{ readonly version: number; readonly settings: readonly Setting[] }>
  /** Stores and removes values, either all of them or none. Throws SETTINGS_ARE_INVALID and the other errors in the contract. */
  change(principal: Principal, wanted: Wanted, manner?: Manner): Promise<ChangeResult>
  /**
   * Changes settings in the transaction that applies a declaration. It makes no tests of servers, and the caller has to check the
   * principal's rights.
   */
  within(tx: Tx): {
    change(principal: Principal, wanted: Wanted): Promise<readonly DescribedChange[]>
    read(): Promise<StoredSettings>
  }
  /**
   * Throws FORBIDDEN if the principal is not a person, and SESSION_IS_NOT_FRESH if the person has not proved their identity recently. It
   * is called before a transaction that lowers security.
   */
  requireRightToLower(principal: Principal): Promise<void>
  /** Returns the settings in the database, including the values of secrets. */
  read(): Promise<StoredSettings>
  /** Tests the servers that a change affects. Throws SETTING_DOES_NOT_WORK if one of them does not work. */
  requireWorking(principal: Principal, wanted: Wanted): Promise<void>
  /**
   * Tests the servers that a change affects, without storing the change. Throws the errors that `change` would throw before it stores
   * anything.
   */
  tryOut(principal: Principal, wanted: Wanted): Promise<readonly TrialResult[]>
  /** Restores the settings of an earlier version. Version 0 has no stored values. */
  revert(principal: Principal, version: number, manner?: Manner): Promise<ChangeResult>
  /** Returns the versions before a version, newest first, and where the next page begins. Names are included if the principal may see them. */
  history(principal: Principal, before: number | undefined, limit: number, isCounted?: boolean): Promise<HistoryPage>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random' | 'secrets' | 'signals' | 'events'> {
  readonly configuration: Configuration
  readonly requireProof: RequireProof
  readonly names: Pick<Names, 'add'>
  readonly users: Pick<Users, 'confirmPermissions' | 'listAdministratorIds'>
}

/** The name of the job with which a node puts changed settings into effect. */
export const followJob = 'settings.follow'
/** How often a change is tried if others change settings at the same time. */
const mostAttempts = 3
/** How many characters of a value an audit event contains at most. */
const longestRecorded = 2_000

const actorOf = (principal: Principal): Pick<store.VersionRow, 'actorKind' | 'actorId'> => ({
  actorKind: principal.kind,
  actorId: principal.kind === 'user' ? principal.user.id : 'actorId' in principal ? (principal.actorId ?? null) : null,
})

/** Formats a value as audit events contain it. */
const recorded = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > longestRecorded ? `${text.slice(0, longestRecorded)}…` : text
}

interface Kept {
  readonly revertedTo?: number | null
  readonly isForced?: boolean
}

/** Makes the function that writes a new version with its changes, records an audit event and notifies all nodes. */
const createWriting =
  ({ clock, random, secrets, events, signals }: Deps) =>
  async (
    tx: Tx,
    principal: Principal,
    version: number,
    changes: readonly Difference[],
    { revertedTo = null, isForced = false }: Kept = {},
  ) => {
    const reason = principal.reason ?? null
    await store.insertVersion(tx, { version, changedAt: clock.now(), ...actorOf(principal), reason, revertedTo })
    const rows = changes.map(({ key, name, after }) => {
      const id = random.id()
      const text = after === undefined ? null : JSON.stringify(after)
      const sealedValue = key.secret && text !== null ? secrets.seal(text, store.sealContext(id)) : null
      return { id, version, key: name, value: key.secret ? null : text, sealedValue, isCurrent: true }
    })
    await store.insertChanges(tx, rows)
    await events.record(tx, principal, settingsEvents['settings.changed'], {
      subject: 'instance',
      data: {
        ...{ version, revertedTo, isForced },
        changes: changes.map(describe).map(({ key, before, after, wasStored, isStored, lowersSecurity }) => ({
          ...{ key, lowersSecurity },
          ...{ before: wasStored ? recorded(before) : null, after: isStored ? recorded(after) : null },
        })),
      },
    })
    await signals.wake(tx, followJob)
  }

export const createSettings = (deps: Deps): Settings => {
  const { db, transact, secrets, configuration, requireProof, users } = deps
  const { plan, isKnown } = createPlanning(deps)
  const write = createWriting(deps)

  const requireRightToLower = async (principal: Principal) => {
    if (principal.kind === 'system') return
    if (principal.kind !== 'user')
      throw coreErrors.error('FORBIDDEN', { message: 'A change that lowers security needs a person' })
    await requireProof(principal, 'change-settings')
  }
  const requireRight = async (principal: Principal, changes: readonly DescribedChange[]) => {
    if (changes.some(({ lowersSecurity }) => lowersSecurity)) await requireRightToLower(principal)
  }

  const change = async (
    principal: Principal,
    wantedOf: (stored: StoredSettings) => Promise<Wanted>,
    { dryRun = false, force = false, ifMatch }: Manner,
    revertedTo: number | null = null,
  ): Promise<ChangeResult> => {
    for (let attempt = 1; ; attempt += 1) {
      const stored = await readSettings(db, secrets)
      ifMatch?.({ version: stored.version, settings: [] })
      const planned = await plan(db, principal, stored, await wantedOf(stored))
      const { changes, shown } = planned
      if (dryRun || changes.length === 0) return { version: stored.version, isApplied: false, changes: shown, trials: [] }
      await requireRight(principal, shown)
      const trials = await runTrials(planned)
      if (!force) requirePassed(trials)
      const isForced = trials.some(({ hasPassed }) => !hasPassed)
      const version = stored.version + 1
      const isWritten = await transact(async (tx) => {
        if (!(await users.confirmPermissions(tx, principal))) throw coreErrors.error('FORBIDDEN')
        await lockName(tx, 'settings')
        const newest = await store.findNewestVersion(tx)
        ifMatch?.({ version: newest, settings: [] })
        if (newest !== stored.version) return false
        await write(tx, principal, version, changes, { revertedTo, isForced })
        return true
      })
      if (isWritten) {
        await configuration.reload()
        return { version, isApplied: true, changes: shown, trials }
      }
      if (attempt === mostAttempts) throw coreErrors.error('PRECONDITION_FAILED')
    }
  }

  // A test connects to the servers that the change names, and may send stored secrets to them. It therefore needs the same rights as the
  // change.
  const tryOut: Settings['tryOut'] = async (principal, wanted) => {
    const planned = await plan(db, principal, await readSettings(db, secrets), wanted)
    await requireRight(principal, planned.shown)
    return runTrials(planned)
  }

  /** The changes that would restore the settings of an earlier version. */
  const wantedAt = async (version: number, { settings }: StoredSettings): Promise<Wanted> => {
    if (version !== 0 && (await store.findVersion(db, version)) === undefined)
      throw settingsErrors.error('SETTINGS_VERSION_NOT_FOUND')
    const then = new Map((await store.listAt(db, version)).map((row) => [row.key, valueIn(secrets, row)]))
    const names = new Set([...then.keys(), ...settings.map(({ key }) => key)])
    // Keys that this version of gatehouse does not know are left out.
    return new Map([...names].filter(isKnown).map((name) => [name, then.get(name)]))
  }

  return {
    keys: configuration.keys,
    isSecret: (name) => keyOfName(configuration.keys, name)?.secret === true,
    list: async () => ({ version: await store.findNewestVersion(db), settings: configuration.settings() }),
    requireRightToLower,
    read: () => readSettings(db, secrets),
    change: (principal, wanted, manner = {}) => change(principal, async () => wanted, manner),
    within: (tx) => ({
      read: () => readSettings(tx, secrets),
      change: async (principal, wanted) => {
        await lockName(tx, 'settings')
        const stored = await readSettings(tx, secrets)
        const { changes, shown } = await plan(tx, principal, stored, wanted)
        if (changes.length > 0) await write(tx, principal, stored.version + 1, changes)
        return shown
      },
    }),
    requireWorking: async (principal, wanted) => requirePassed(await tryOut(principal, wanted)),
    tryOut,
    revert: (principal, version, manner = {}) => change(principal, (stored) => wantedAt(version, stored), manner, version),
    history: createHistory(deps),
  }
}
