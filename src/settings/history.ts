import type { Names } from '../access/names.ts'
import type { Principal } from '../access/principal.ts'
import { keyOfName } from '../core/config-keys.ts'
import type { Configuration } from '../core/configuration.ts'
import type { Core } from '../core/core.ts'
import type { Total } from '../core/db/count.ts'
import { shownValue } from '../core/settings.ts'
import { type DescribedChange, describe } from './difference.ts'
import * as store from './store.ts'
import { valueIn } from './stored.ts'

/** A version of the settings, and the changes that made it. */
export interface ListedVersion {
  readonly version: number
  readonly changedAt: Date
  readonly changedBy: { readonly kind: string; readonly id: string | null; readonly name: string | null }
  readonly reason: string | null
  readonly revertedTo: number | null
  readonly changes: readonly DescribedChange[]
}

export interface HistoryPage {
  readonly versions: readonly ListedVersion[]
  readonly next: string | null
  /** The number of all versions. Null if the caller did not ask for it. */
  readonly total: Total | null
}

interface Deps extends Pick<Core, 'db' | 'secrets'> {
  readonly names: Pick<Names, 'add'>
  readonly configuration: Pick<Configuration, 'keys'>
}

/**
 * Makes the function that lists the versions before a version, newest first, with the names of the people who made them. Secrets are
 * shown as hints.
 */
export const createHistory =
  ({ db, secrets, names, configuration: { keys } }: Deps) =>
  async (principal: Principal, before: number | undefined, limit: number, isCounted = false): Promise<HistoryPage> => {
    const rows = await store.listVersions(db, before, limit + 1)
    const shown = rows.slice(0, limit)
    const oldest = shown.at(-1)?.version ?? 1
    const numbers = shown.map(({ version }) => version)
    const changes = await store.listChanges(db, numbers)
    const changed = [...new Set(changes.map(({ key }) => key))]
    const known = new Map((await store.listAt(db, oldest - 1, changed)).map((row) => [row.key, valueIn(secrets, row)]))

    const describeRow = (row: store.ChangeRow): DescribedChange => {
      const [old, after] = [known.get(row.key), valueIn(secrets, row)]
      known.set(row.key, after)
      const key = keyOfName(keys, row.key)
      if (key !== undefined) return describe({ key, name: row.key, before: old, after })
      // This version of gatehouse may not know the key. The row itself shows whether the value is a secret.
      const secret = row.sealedValue !== null
      return {
        ...{ key: row.key, isSecret: secret, before: shownValue({ secret }, old), after: shownValue({ secret }, after) },
        ...{ wasStored: old !== undefined, isStored: after !== undefined, lowersSecurity: false },
      }
    }
    const described = Map.groupBy(
      changes.map((row) => [row.version, describeRow(row)] as const),
      ([version]) => version,
    )
    const versions = await names.add(principal, shown, ({ actorKind: kind, actorId: id }) => ({ changedBy: { kind, id } }))
    return {
      versions: versions.map(({ actorKind: _, actorId: __, ...row }) => ({
        ...row,
        changes: (described.get(row.version) ?? []).map(([, change]) => change),
      })),
      next: rows.length > limit ? String(oldest) : null,
      total: isCounted ? await store.totalOfVersions(db) : null,
    }
  }
