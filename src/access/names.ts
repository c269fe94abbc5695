import type { z } from 'zod'
import type { Db } from '../core/db/database.ts'
import type { Named } from '../core/wire.ts'
import { can } from './can.ts'
import type { Permission } from './permissions.ts'
import type { Principal } from './principal.ts'

/** A feature's source of names for the rows that answers of other features refer to. */
export interface NameSource {
  /** Kinds of subjects and actors in events. */
  readonly kinds: readonly string[]
  /** Readers without this permission get no names of these kinds. */
  readonly permission: Permission
  /** Reads the names of a page of ids with one statement. */
  list(db: Db, ids: readonly string[]): Promise<readonly { readonly id: string; readonly name: string }[]>
}

/** A row that an answer refers to. */
export interface Reference {
  readonly kind: string
  readonly id: string | null
}

/** Kinds of objects that keys name by id. */
const mentioned: Readonly<Record<string, string>> = {
  ...{ user: 'user', client: 'client', organization: 'organization', team: 'team', customer: 'customer' },
}

/** The kinds of resources that values name by id, such as the values of `clientId` and `fromUserId`. */
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
   * Adds to each row the names of the resources it refers to, with one statement for each kind, whatever the number of rows. The name is null where the row was
   * deleted, and where the reader lacks the permission of the kind.
   */
  add<Row extends object, Refs extends References>(
    principal: Principal,
    rows: readonly Row[],
    refer: (row: Row) => Refs,
  ): Promise<NamedRow<Row, Refs>[]>
  /** Adds the names to one row. */
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
