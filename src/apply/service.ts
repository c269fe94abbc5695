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

/** An object that somebody has changed or deleted since a declaration was applied to it. */
export interface Drift {
  readonly kind: string
  readonly key: string
  readonly source: string
  /** Names of the fields that differ. Empty if the object was deleted. */
  readonly fields: readonly string[]
  readonly isGone: boolean
}

/** Why the logo of a declared application could not be fetched from the URL in `icon`. */
export interface LogoProblem {
  readonly key: string
  readonly problem: string
}

/** The changes that a declaration would make, and a digest of them. An administrator approves the changes by this digest. */
export interface Plan {
  readonly changes: Change[]
  readonly digest: string
}

interface Options {
  readonly prune: boolean
  /** The digest of the changes that the principal has seen and approved. */
  readonly expected?: string | undefined
}

export interface Applying {
  /**
   * Returns the changes that a declaration would make. They are made in a transaction that is rolled back, so invalid objects and missing
   * permissions are already refused here.
   */
  plan(principal: PermittedPrincipal, declaration: Declaration, options: Pick<Options, 'prune'>): Promise<Plan>
  /**
   * Applies a declaration in one transaction, on one node at a time. With `prune`, it also deletes objects that an earlier declaration of
   * the same source contained and this one does not. Throws STATE_HAS_CHANGED if the changes differ from the approved ones (`expected`).
   * Throws FORBIDDEN or SESSION_IS_NOT_FRESH if the principal could not make the API call that does the same. Errors of the objects' use
   * cases have the key of the object in front of the message.
   */
  apply(principal: PermittedPrincipal, declaration: Declaration, options: Options): Promise<Plan>
  /**
   * Applies changes that a person has approved. It first tests declared mail servers and identity providers, unless `force` is set, and
   * fetches logos at the end. Throws SETTING_DOES_NOT_WORK if a test fails.
   */
  applyShown(
    principal: PermittedPrincipal,
    declaration: Declaration,
    options: Options & { readonly force: boolean },
  ): Promise<Plan & { readonly logoProblems: LogoProblem[] }>
  /**
   * Fetches the missing logos of declared applications. It is called after `apply`. Returns the failures with their reasons, and never
   * throws.
   */
  fetchLogos(principal: PermittedPrincipal, declaration: Declaration): Promise<LogoProblem[]>
  /** Returns the objects that differ from their declaration. */
  drift(): Promise<readonly Drift[]>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random'> {
  /** Makes the use cases for work in a transaction. If `tx` is undefined, they can only read. */
  contextOf(tx: Tx | undefined): Omit<Context, 'principal' | 'hashOf' | 'requireRightToLower'>
  readonly users: Pick<Users, 'confirmPermissions'>
  /** Throws if the principal does not have this access. */
  requireAccess(access: RequiredAccess, principal: PermittedPrincipal): void
  readonly settings?: Pick<Settings, 'requireWorking' | 'requireRightToLower'> | undefined
  readonly clientLogos?: Pick<ClientLogos, 'fetch' | 'unfetched'> | undefined
  readonly sectors?: Pick<Sectors, 'read'> | undefined
}

/** All kinds of objects, in the order in which a declaration creates them. */
const kinds: readonly Kind[] = [settingKind, organizationKind, teamKind, clientKind, apiKind, endpointKind]

/** Thrown to roll back a transaction that would lower security before the principal's right to do so was checked. */
class RightNeeded extends Error {}

/** Thrown to roll back changes that are only to be shown. */
class TakenBack extends Error {
  readonly plan: Plan
  constructor(plan: Plan) {
    super('taken back')
    this.plan = plan
  }
}

const hasChanged = (before: store.AppliedRow, { appliedAt: _, ...after }: store.AppliedRow): boolean =>
  changedFields({ ...before }, after).length > 0

/**
 * The principal that audit events name as the actor. It is `apply` if a command or the start of the daemon applies the declaration, and
 * otherwise the caller of the API.
 */
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
 * Throws FORBIDDEN, with advice, if an API key tries to register applications. Somebody who has stolen the key could keep the secrets of
 * such applications after the key is revoked.
 */
const requireNoKey = ({ fresh, permission }: RequiredAccess, principal: PermittedPrincipal) => {
  if (principal.kind === 'api-key' && fresh === true && can(principal, permission))
    throw coreErrors.error('FORBIDDEN', {
      message:
        'An API key may not make this change: a person applies it after the command login, or an application of the type machine does',
    })
}

/** Makes the function that applies a declaration within a transaction. */
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

  /** Handles objects that an earlier declaration of the source contained and this one does not. */
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
      // If the access is missing, the error rolls back all changes.
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
    // Organizations come first, because the database deletes their teams together with them.
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
    // The declaration is already applied, so an error here is only reported.
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
      // If the feature of this object is switched off, the object cannot be compared.
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

  /** Fetches the `sector_identifier_uri` documents before the transaction begins, because a transaction must not wait for another server. */
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
   * is checked, and the work is done again. The check reads the database, so it cannot run inside the transaction.
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

  /** Tests the declared mail servers and identity providers. The test connects to addresses that the declaration contains. */
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
