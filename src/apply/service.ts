import type { SystemPrincipal } from '../access/principal.ts'
import { systemPrincipal } from '../access/principal.ts'
import type { Core } from '../core/core.ts'
import { sha256 } from '../core/crypto.ts'
import { lockName, type Tx } from '../core/db/database.ts'
import { AppError } from '../core/errors.ts'
import type { ClientLogos, Sectors } from '../oidc/index.ts'
import type { Settings } from '../settings/index.ts'
import type { Declaration } from './contract.ts'
import { applyErrors } from './contract.ts'
import type { Context, Kind, Outcome, Wanted } from './kind.ts'
import { apiKind } from './kinds/apis.ts'
import { clientKind } from './kinds/clients.ts'
import { endpointKind } from './kinds/endpoints.ts'
import { organizationKind } from './kinds/organizations.ts'
import { declaredValue, settingKind } from './kinds/settings.ts'
import { teamKind } from './kinds/teams.ts'
import { type Change, changedFields } from './rules.ts'
import * as store from './store.ts'

/** An object that somebody has changed or deleted since a declaration was applied to it. */
export interface Drift {
  readonly kind: string
  readonly key: string
  readonly source: string
  /** Names of the fields; empty where it is gone. */
  readonly fields: readonly string[]
  readonly isGone: boolean
}

/** Why a declared application got no logo from its `icon`. */
export interface LogoProblem {
  readonly key: string
  readonly problem: string
}

export interface Applying {
  /** The changes of a declaration. They are made and rolled back, so the rules of the objects refuse here as well. */
  plan(principal: SystemPrincipal, declaration: Declaration, options: { readonly prune: boolean }): Promise<readonly Change[]>
  /**
   * Makes everything as it is declared, in one transaction, one node at a time. With `prune` what an earlier application of the same source has
   * made, and the declaration names no more, is deleted. Throws STATE_HAS_CHANGED when that is other than `expected`, and what the use cases of the
   * objects throw, with the key in front of the message.
   */
  apply(
    principal: SystemPrincipal,
    declaration: Declaration,
    options: { readonly prune: boolean; readonly expected?: readonly Change[] },
  ): Promise<readonly Change[]>
  /** Tries mail servers and providers that declared settings name, before `apply`. Throws SETTING_DOES_NOT_WORK. */
  requireWorking(principal: SystemPrincipal, declaration: Declaration): Promise<void>
  /** Fetches the logos of declared applications that were not fetched yet, after `apply`. Answers those that gave none, with the reason; throws nothing. */
  fetchLogos(principal: SystemPrincipal, declaration: Declaration): Promise<readonly LogoProblem[]>
  /** Objects that are otherwise than declared. */
  drift(): Promise<readonly Drift[]>
}

interface Deps extends Pick<Core, 'db' | 'transact' | 'clock' | 'random'> {
  /** The use cases, as part of a transaction or, to read, without one. */
  contextOf(tx: Tx | undefined): Omit<Context, 'principal' | 'hashOf'>
  readonly settings?: Pick<Settings, 'requireWorking'> | undefined
  readonly clientLogos?: Pick<ClientLogos, 'fetch' | 'unfetched'> | undefined
  readonly sectors?: Pick<Sectors, 'read'> | undefined
}

/** In the order in which objects are made. */
const kinds: readonly Kind[] = [settingKind, organizationKind, teamKind, clientKind, apiKind, endpointKind]

/** Ends a transaction whose changes were only to be seen. */
class TakenBack extends Error {
  readonly changes: readonly Change[]
  constructor(changes: readonly Change[]) {
    super('taken back')
    this.changes = changes
  }
}

/** The refusal of one object names it. */
const naming = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const told = error.issues?.map((issue) => `${issue.path}: ${issue.message}`) ?? [error.message]
    throw new AppError(error.code, error.status, `${path}: ${told.join('; ')}`)
  }
}

const hasChanged = (before: store.AppliedRow, { appliedAt: _, ...after }: store.AppliedRow): boolean =>
  changedFields({ ...before }, after).length > 0

export const createApplying = ({ db, transact, clock, random, contextOf, settings, clientLogos, sectors }: Deps): Applying => {
  const asApply = (principal: SystemPrincipal): SystemPrincipal => ({ ...principal, actorId: 'apply' })
  const inContext = (tx: Tx | undefined, principal: SystemPrincipal): Context => ({
    ...contextOf(tx),
    principal: asApply(principal),
    hashOf: (secret) => sha256(`applied secret ${secret}`),
  })

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

  /** Objects that the source declared before and declares no more. */
  const forget = async (
    tx: Tx,
    context: Context,
    kind: Kind,
    row: store.AppliedRow,
    prune: boolean,
  ): Promise<Change | undefined> => {
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

  /** Other servers are not called within the transaction. */
  const readSectors = async ({ clients }: Declaration) => {
    for (const [key, { sectorIdentifierUri }] of Object.entries(clients))
      await naming(`clients.${key}`, async () => sectors?.read(sectorIdentifierUri, true))
  }

  const run = async (
    tx: Tx,
    principal: SystemPrincipal,
    declaration: Declaration,
    prune: boolean,
  ): Promise<readonly Change[]> => {
    const context = inContext(tx, principal)
    await lockName(tx, 'apply')
    const rows = await store.listApplied(tx)
    const changes: Change[] = []
    const applyOne = async ({ kind }: Kind, { key, path, apply }: Wanted) => {
      const known = rows.find((row) => row.kind === kind && row.key === key)
      const outcome = await naming(path, () => apply(context, known))
      await remember(tx, known, { kind, key, source: declaration.source }, outcome)
      changes.push({ kind, key, action: outcome.action, fields: outcome.fields })
    }
    for (const kind of kinds) for (const wanted of kind.wanted(declaration)) await applyOne(kind, wanted)
    // Organizations first: their teams go with them.
    for (const kind of kinds) {
      const declared = new Set(kind.wanted(declaration).map(({ key }) => key))
      const gone = rows.filter((row) => row.kind === kind.kind && row.source === declaration.source && !declared.has(row.key))
      for (const row of gone) {
        const change = await naming(`${row.kind} ${row.key}`, () => forget(tx, context, kind, row, prune))
        if (change !== undefined) changes.push(change)
      }
    }
    return changes
  }

  return {
    plan: async (principal, declaration, { prune }) => {
      await readSectors(declaration)
      try {
        return await transact(async (tx) => {
          throw new TakenBack(await run(tx, principal, declaration, prune))
        })
      } catch (error) {
        if (error instanceof TakenBack) return error.changes
        throw error
      }
    },
    apply: async (principal, declaration, { prune, expected }) => {
      await readSectors(declaration)
      return transact(async (tx) => {
        const changes = await run(tx, principal, declaration, prune)
        if (expected !== undefined && JSON.stringify(changes) !== JSON.stringify(expected))
          throw applyErrors.error('STATE_HAS_CHANGED', {
            message: 'Something was changed since the difference was shown; nothing was applied. Look at the difference again',
          })
        return changes
      })
    },
    requireWorking: async (principal, { settings: declared }) => {
      const wanted = new Map(Object.entries(declared).map(([name, one]) => [name, declaredValue(one)]))
      if (wanted.size > 0) await settings?.requireWorking(asApply(principal), wanted)
    },
    fetchLogos: async (principal, { clients }) => {
      const declared = Object.entries(clients).flatMap(([clientId, { icon }]) => (icon == null ? [] : [clientId]))
      if (clientLogos === undefined || declared.length === 0) return []
      // Everything is applied by now: an error here is reported and fails nothing.
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
    },
    drift: async () => {
      const context = inContext(undefined, systemPrincipal(random.requestId()))
      const found: Drift[] = []
      for (const row of await store.listApplied(db)) {
        const { kind, key, source } = row
        if (!row.isDeclared) continue
        const kindOf = kinds.find((candidate) => candidate.kind === kind)
        // Of a feature that is switched off nothing can be said.
        const now = await kindOf?.read(context, row).catch((error: unknown) => {
          if (error instanceof AppError && error.code === 'DECLARATION_DOES_NOT_FIT') return row.form
          throw error
        })
        const fields = now === undefined ? [] : changedFields(row.form, now).map(({ field }) => field)
        if (now === undefined || fields.length > 0) found.push({ kind, key, source, fields, isGone: now === undefined })
      }
      return found
    },
  }
}
