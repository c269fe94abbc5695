import type { z } from 'zod'
import type { Db } from '../core/db/database.ts'
import type { Named } from '../core/wire.ts'
import { can } from './can.ts'
import type { Permission } from './permissions.ts'
import type { Principal } from './principal.ts'

/** Finds the names of a feature's rows. Answers of other features show these names beside the ids. */
export interface NameSource {
  /** What events call these rows: the kinds of their subjects and actors. */
  readonly kinds: readonly string[]
  /** A reader gets names of these kinds only with this permission. */
  readonly permission: Permission
  /** Reads the names for some ids, with one statement. */
  list(db: Db, ids: readonly string[]): Promise<readonly { readonly id: string; readonly name: string }[]>
}

/** A row that an answer mentions by its kind and id. */
export interface Reference {
  readonly kind: string
  readonly id: string | null
}

/** Keys such as `clientId` contain the id of a row. Here is the kind of that row, by the last word before `Id`. */
const mentioned: Readonly<Record<string, string>> = {
  ...{ user: 'user', client: 'client', organization: 'organization', team: 'team', customer: 'customer' },
}

/** Finds the rows whose ids the values contain, under keys such as `clientId` and `fromUserId`. */
export const mentionsIn = (values: Readonly<Record<string, unknown>>): readonly Reference[] =>
  Object.entries(values).flatMap(([key, id]) => {
    const end = key.endsWith('Id')
      ? key
          .slice(0, -2)
          .split(/(?=[A-Z])/)
          .at(-1)
      : undefined
    const kind = end === undefined ? undefined : mentioned[end.toLowerCase()]
    return kind === undefined || typeof id !== 'string' ? [] : [{ kind, id }]
  })

type NamedReference = z.output<typeof Named>
type References = Readonly<Record<string, Reference | readonly Reference[] | null>>
type AsNamed<R> = R extends null ? null : R extends readonly Reference[] ? NamedReference[] : NamedReference

type NamedRow<Row, Refs> = Row & { -readonly [Key in keyof Refs]: AsNamed<Refs[Key]> }

export interface Names {
  /**
   * Adds to each row the names of the resources that the row mentions. The names of each kind are read with one statement. A name is null
   * if the resource was deleted, or if the reader may not see names of its kind.
   */
  add<Row extends object, Refs extends References>(
    principal: Principal,
    rows: readonly Row[],
    refer: (row: Row) => Refs,
  ): Promise<NamedRow<Row, Refs>[]>
  /** Adds to one row the names of the resources that the row mentions. */
  addTo<Row extends object, Refs extends References>(
    principal: Principal,
    row: Row,
    refer: (row: Row) => Refs,
  ): Promise<NamedRow<Row, Refs>>
}

export const createNames = (db: Db, sources: () => readonly NameSource[]): Names => {
  const read = async (principal: Principal, references: readonly Reference[]) => {
    const names = new Map<string, string>()
    for (const { kinds, permission, list } of sources()) {
      if (!can(principal, permission)) continue
      const ids = new Set(references.flatMap(({ kind, id }) => (id !== null && kinds.includes(kind) ? [id] : [])))
      if (ids.size === 0) continue
      for (const { id, name } of await list(db, [...ids])) for (const kind of kinds) names.set(`${kind} ${id}`, name)
    }
    return ({ kind, id }: Reference): NamedReference => ({ kind, id, name: names.get(`${kind} ${id}`) ?? null })
  }
  const add = async <Row extends object, Refs extends References>(
    principal: Principal,
    rows: readonly Row[],
    refer: (row: Row) => Refs,
  ): Promise<NamedRow<Row, Refs>[]> => {
    const referring = rows.map((row) => ({ row, references: Object.entries(refer(row)) }))
    const named = await read(
      principal,
      referring.flatMap(({ references }) => references.flatMap(([, one]) => one ?? [])),
    )
    const nameOf = (one: References[string]) => (one === null ? null : 'kind' in one ? named(one) : one.map(named))
    return referring.map(
      ({ row, references }) =>
        ({ ...row, ...Object.fromEntries(references.map(([key, one]) => [key, nameOf(one)])) }) as NamedRow<Row, Refs>,
    )
  }
  return {
    add,
    addTo: async (principal, row, refer) => {
      const [named] = await add(principal, [row], refer)
      if (named === undefined) throw new Error('a row has no names')
      return named
    },
  }
}
