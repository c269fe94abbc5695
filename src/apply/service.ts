import { can } from '../access/can.ts'
import { type PermittedPrincipal, systemPrincipal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import { sha256 } from '../core/crypto.ts'
import { lockName, type Tx } from '../core/db/database.ts'
import { AppError, coreErrors } from '../core/errors.ts'
import type { Users } from '../identity/users/index.ts'
import type { ClientLogos, Sectors } from '../oidc/index.ts'
import type { Settings } from '../settings/index.ts'
import type { RequiredAccess } from './calls/contract.ts'
import type { Declaration, ObjectKind } from './contract.ts'
import { applyErrors } from './contract.ts'
import { type Context, type Kind, naming, type Outcome, type Wanted } from './kind.ts'
import { apiKind } from './kinds/apis.ts'
import { clientKind } from './kinds/clients.ts'
import { endpointKind } from './kinds/endpoints.ts'
import { organizationKind } from './kinds/organizations.ts'
import { settingKind, wantedSettings } from './kinds/settings.ts'
import { teamKind } from './kinds/teams.ts'
import { accessFor, readAccess, updateAccess } from './rules/access.ts'
import { type Change, changedFields } from './rules.ts'
import * as store from './store.ts'

/** An object that has been changed or deleted since it was applied. */
export interface Drift {
  readonly kind: string
  readonly key: string
  readonly source: string
  /** Names of the changed fields; empty for a deleted object. */
  readonly fields: readonly string[]
  readonly isGone: boolean
}

/** Why a declared application has no logo from its `icon`. */
export interface LogoProblem {
  readonly key: string
  readonly problem: string
}

/** The changes of a declaration, and their digest, by which an administrator approves them. */
export interface Plan {
  readonly changes: Change[]
  readonly digest: string
}

interface Options {
  readonly prune: boolean
  /** Digest of the changes that the principal has seen. */
  readonly expected?: string | undefined
}

export interface Applying {
  /**
   * Returns the changes of a declaration. They are made and rolled back, so that the rules of objects and missing permissions already
   * refuse them here.
   */
  plan(principal: PermittedPrincipal, declaration: Declaration, options: Pick<Options, 'prune'>): Promise<Plan>
  /**
   * Applies a declaration in one transaction, one node at a time. With `prune` it deletes objects that the source declared before and no
   * longer declares. Throws STATE_HAS_CHANGED when the changes are not the `expected` ones; FORBIDDEN and SESSION_IS_NOT_FRESH where the
   * principal may not make the call with the same effect; and the errors of the objects' use cases, with the key in front of the message.
   */
  apply(principal: PermittedPrincipal, declaration: Declaration, options: Options): Promise<Plan>
  /**
   * Applies changes that a person has seen. First it tests declared mail servers and providers, unless `force` is set; at the end it
   * fetches logos. Throws SETTING_DOES_NOT_WORK.
   */
  applyShown(
    principal: PermittedPrincipal,
    declaration: Declaration,
    options: Options & { readonly force: boolean },
  ): Promise<Plan & { readonly logoProblems: LogoProblem[] }>
  /** After `apply`, fetches missing logos of declared applications. Returns the failures with their reasons; throws nothing. */
  fetchLogos(principal: PermittedPrincipal, declaration: Declaration): Promise<LogoProblem[]>
  /** Objects that differ from their declaration. */
  drift(): Promise<readonly Drift[]>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random'> {
  /** The use cases within a transaction. Without a transaction they only read. */
  contextOf(tx: Tx | undefined): Omit<Context, 'principal' | 'hashOf' | 'requireRightToLower'>
  readonly users: Pick<Users, 'confirmPermissions'>
  /** Throws where the principal lacks this access. */
  requireAccess(access: RequiredAccess, principal: PermittedPrincipal): void
  readonly settings?: Pick<Settings, 'requireWorking' | 'requireRightToLower'> | undefined
  readonly clientLogos?: Pick<ClientLogos, 'fetch' | 'unfetched'> | undefined
  readonly sectors?: Pick<Sectors, 'read'> | undefined
}

/** All kinds, in the order in which their objects are created. */
const kinds: readonly Kind[] = [settingKind, organizationKind, teamKind, clientKind, apiKind, endpointKind]

/** Ends a transaction that lowers security before the principal's right to it was checked. */
class RightNeeded extends Error {}

/** Rolls back changes that are only to be shown. */
class TakenBack extends Error {
  readonly plan: Plan
  constructor(plan: Plan) {
    super('taken back')
    this.plan = plan
  }
}

const hasChanged = (before: store.AppliedRow, { appliedAt: _, ...after }: store.AppliedRow): boolean =>
  changedFields({ ...before }, after).length > 0

/** The actor of events: `apply` for a command or a start of the daemon, and the principal for a call. */
const asApply = (principal: PermittedPrincipal): PermittedPrincipal =>
  principal.kind === 'system' ? { ...principal, actorId: 'apply' } : principal

const inContext = ({ contextOf }: Deps, tx: Tx | undefined, principal: PermittedPrincipal, mayLower = true): Context => ({
  ...contextOf(tx),
  principal: asApply(principal),
  requireRightToLower: () => {
    if (!mayLower) throw new RightNeeded()
  },
  hashOf: (secret) => sha256(`applied secret ${secret}`),
})

/**
 * Throws FORBIDDEN with advice for an API key. A thief of the key could register applications and keep their secrets after the key is
 * revoked.
 */
const requireNoKey = ({ fresh, permission }: RequiredAccess, principal: PermittedPrincipal) => {
  if (principal.kind === 'api-key' && fresh === true && can(principal, permission))
    throw coreErrors.error('FORBIDDEN', {
      message:
        'An API key may not make this change: a person applies it after the command login, or an application of the type machine does',
    })
}

/** Applies a declaration within a transaction. */
const createRun = (deps: Deps) => {
  const { clock, users, requireAccess } = deps
  const remember = async (
    tx: Tx,
    known: store.AppliedRow | undefined,
    key: Pick<store.AppliedRow, 'kind' | 'key' | 'source'>,
    { id, action, form, secretHash }: Outcome,
  ) => {
    const isMade = action === 'create' || (known?.isMade === true && known.objectId === id)
    const row = { ...key, objectId: id, isMade, isDeclared: true, form, secretHash, appliedAt: clock.now() }
    if (known === undefined) await store.insertApplied(tx, row)
    else if (hasChanged(known, row)) await store.updateApplied(tx, row)
  }

  /** Objects that the source declared before and no longer declares. */
  const forget = async (
    tx: Tx,
    context: Context,
    kind: Kind,
    row: store.AppliedRow,
    prune: boolean,
  ): Promise<Change | undefined> => {
    requireAccess(readAccess(kind.kind), context.principal)
    const isThere = (await kind.read(context, row)) !== undefined
    if (!row.isMade || !isThere) {
      await store.deleteApplied(tx, row)
      return undefined
    }
    const change = { kind: row.kind, key: row.key, fields: [] }
    if (!prune) {
      if (row.isDeclared) await store.updateApplied(tx, { ...row, isDeclared: false })
      return { ...change, action: 'kept' }
    }
    const lost = await kind.lost(context, row)
    await kind.remove(context, row)
    await store.deleteApplied(tx, row)
    return { ...change, action: 'delete', lost }
  }

  const run = async (
    tx: Tx,
    principal: PermittedPrincipal,
    declaration: Declaration,
    prune: boolean,
    mayLower: boolean,
  ): Promise<Plan> => {
    const context = inContext(deps, tx, principal, mayLower)
    await lockName(tx, 'apply')
    if (!(await users.confirmPermissions(tx, principal))) throw coreErrors.error('FORBIDDEN')
    const rows = await store.listApplied(tx)
    const changes: Change[] = []
    const requireFor = (kind: ObjectKind, change: Parameters<typeof accessFor>[1]) => {
      // An error here rolls back all changes.
      for (const access of accessFor(kind, change)) {
        requireNoKey(access, principal)
        requireAccess(access, principal)
      }
    }
    const applyOne = async ({ kind }: Kind, { key, path, apply }: Wanted) => {
      const known = rows.find((row) => row.kind === kind && row.key === key)
      const outcome = await naming(path, async () => {
        requireAccess(readAccess(kind), principal)
        const made = await apply(context, known)
        requireFor(kind, made)
        return made
      })
      await remember(tx, known, { kind, key, source: declaration.source }, outcome)
      changes.push({ kind, key, action: outcome.action, fields: [...outcome.fields] })
    }
    for (const kind of kinds) for (const wanted of kind.wanted(declaration)) await applyOne(kind, wanted)
    // Organizations first: the database deletes their teams with them.
    for (const kind of kinds) {
      const declared = new Set(kind.wanted(declaration).map(({ key }) => key))
      const gone = rows.filter((row) => row.kind === kind.kind && row.source === declaration.source && !declared.has(row.key))
      for (const row of gone) {
        const change = await naming(`${row.kind} ${row.key}`, async () => {
          const forgotten = await forget(tx, context, kind, row, prune)
          if (forgotten !== undefined) requireFor(kind.kind, forgotten)
          return forgotten
        })
        if (change !== undefined) changes.push(change)
      }
    }
    return { changes, digest: sha256(JSON.stringify(changes)) }
  }
  return run
}

const fetchLogos =
  ({ clientLogos }: Deps): Applying['fetchLogos'] =>
  async (principal, { clients }) => {
    const declared = Object.entries(clients).flatMap(([clientId, { icon }]) => (icon == null ? [] : [clientId]))
    if (clientLogos === undefined || declared.length === 0) return []
    // Everything is applied: an error here is only reported.
    const told = (error: unknown) => (error instanceof Error ? error.message : String(error))
    const problemOf = (key: string) => clientLogos.fetch(asApply(principal), key).then(({ logoProblem }) => logoProblem, told)
    try {
      const problems: LogoProblem[] = []
      for (const { clientId: key } of await clientLogos.unfetched(declared)) {
        const problem = await problemOf(key)
        if (problem !== null) problems.push({ key, problem })
      }
      return problems
    } catch (error) {
      return declared.map((key) => ({ key, problem: told(error) }))
    }
  }

const readDrift =
  (deps: Deps): Applying['drift'] =>
  async () => {
    const context = inContext(deps, undefined, systemPrincipal(deps.random.requestId()))
    const found: Drift[] = []
    for (const row of await store.listApplied(deps.db)) {
      const { kind, key, source } = row
      if (!row.isDeclared) continue
      const kindOf = kinds.find((candidate) => candidate.kind === kind)
      // Objects of a feature that is switched off cannot be compared.
      const now = await kindOf?.read(context, row).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'DECLARATION_DOES_NOT_FIT') return row.form
        throw error
      })
      const fields = now === undefined ? [] : changedFields(row.form, now).map(({ field }) => field)
      if (now === undefined || fields.length > 0) found.push({ kind, key, source, fields, isGone: now === undefined })
    }
    return found
  }

export const createApplying = (deps: Deps): Applying => {
  const { transact, requireAccess, settings, sectors } = deps
  const run = createRun(deps)

  /** Fetches documents of sectors before the transaction, because a transaction must not call another server. */
  const readSectors = async (principal: PermittedPrincipal, { clients }: Declaration) => {
    for (const [key, { sectorIdentifierUri }] of Object.entries(clients)) {
      if (sectorIdentifierUri == null) continue
      await naming(`clients.${key}`, async () => {
        requireAccess(updateAccess('client'), principal)
        await sectors?.read(sectorIdentifierUri, true)
      })
    }
  }

  /**
   * Does the work in a transaction. If the work lowers security, the transaction is rolled back, the principal's right to lower security
   * is checked, and the work is repeated. The check reads the database, so it cannot run within the transaction.
   */
  const withRights = async <T>(principal: PermittedPrincipal, work: (tx: Tx, mayLower: boolean) => Promise<T>): Promise<T> => {
    try {
      return await transact((tx) => work(tx, principal.kind === 'system'))
    } catch (error) {
      if (!(error instanceof RightNeeded)) throw error
      await naming('settings', async () => settings?.requireRightToLower(principal))
      return transact((tx) => work(tx, true))
    }
  }

  const apply: Applying['apply'] = async (principal, declaration, { prune, expected }) => {
    await readSectors(principal, declaration)
    return withRights(principal, async (tx, mayLower) => {
      const plan = await run(tx, principal, declaration, prune, mayLower)
      if (expected !== undefined && plan.digest !== expected)
        throw applyErrors.error('STATE_HAS_CHANGED', {
          message: 'Something was changed since the difference was shown; nothing was applied. Look at the difference again',
        })
      return plan
    })
  }

  /** The test connects to addresses from the declaration. */
  const requireWorking = async (principal: PermittedPrincipal, { settings: declared }: Declaration) => {
    const wanted = wantedSettings(declared)
    if (wanted.size === 0) return
    await naming('settings', async () => {
      requireAccess(updateAccess('setting'), principal)
    })
    await settings?.requireWorking(asApply(principal), wanted)
  }

  const applying: Applying = {
    plan: async (principal, declaration, { prune }) => {
      await readSectors(principal, declaration)
      try {
        return await withRights(principal, async (tx, mayLower) => {
          throw new TakenBack(await run(tx, principal, declaration, prune, mayLower))
        })
      } catch (error) {
        if (error instanceof TakenBack) return error.plan
        throw error
      }
    },
    apply,
    applyShown: async (principal, declaration, { force, ...options }) => {
      if (!force) await requireWorking(principal, declaration)
      const applied = await apply(principal, declaration, options)
      return { ...applied, logoProblems: await applying.fetchLogos(principal, declaration) }
    },
    fetchLogos: fetchLogos(deps),
    drift: readDrift(deps),
  }
  return applying
}
