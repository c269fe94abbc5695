import { z } from 'zod'
import { coreErrors } from './errors.ts'
import { isBroken } from './wire.ts'

/** Where a page of a sorted list starts: after the row with this value and id. The value is never null. */
export interface Position {
  readonly value: string | number
  readonly id: string
}

/** What a store needs to read a page: at most `limit` rows after `after`, sorted by `sort` and then by id. */
export interface Cursor<Sort extends string = string> {
  readonly sort: Sort
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly after: Position | undefined
  /** Also counts all rows. */
  readonly isCounted?: boolean
}

const limitInput = z.coerce.number<string | number>().int().min(1).max(100).default(50)

const Content = z.tuple([z.string(), z.enum(['asc', 'desc']), z.union([z.string(), z.number()]), z.string()])

const encode = (text: string) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '')

/** The position that a cursor contains, if it was made for this sort and order. */
const decode = (cursor: string, sort: string, order: string): Position | undefined => {
  try {
    const bytes = Uint8Array.from(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0))
    const [ofSort, ofOrder, value, id] = Content.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
    if ([value, id].some((part) => typeof part === 'string' && isBroken(part))) return undefined
    return ofSort === sort && ofOrder === order ? { value, id } : undefined
  } catch {
    return undefined
  }
}

type ListOf<Name extends string, Item extends z.ZodType> = { readonly [K in Name]: z.ZodArray<Item> } & {
  readonly next: z.ZodNullable<z.ZodString>
}

const listOf = <const Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.object({ [name]: z.array(item), next: z.string().nullable() } as ListOf<Name, Item>)

/**
 * Declares query and response of a list with pages and one order. `after` is the id of the row before the page. `next` in the response is
 * the `after` of the next page, or null on the last page. Rows are not counted, because there may be millions.
 */
export const page = <const Name extends string, Item extends z.ZodType, Filter extends z.ZodRawShape>(
  name: Name,
  item: Item,
  { filter, after }: { readonly filter: Filter; readonly after: z.ZodType<string, string> },
) => ({ query: z.object({ ...filter, limit: limitInput, after: after.optional() }), response: listOf(name, item) })

/**
 * Declares a list that callers can sort. `sorts` are the possible columns, and the first is the default. `after` is opaque. It names a
 * row by value and id, so that it does not matter if rows are added or deleted. A malformed `after`, or one for another sort, is a
 * VALIDATION_ERROR.
 */
export const sortedPage = <
  const Name extends string,
  Item extends z.ZodType,
  Filter extends z.ZodRawShape,
  const Sorts extends readonly [string, ...string[]],
>(
  name: Name,
  item: Item,
  { filter, sorts }: { readonly filter: Filter; readonly sorts: Sorts },
) => ({
  query: z
    .object({
      ...filter,
      sort: z.enum(sorts).default(sorts[0]),
      order: z.enum(['asc', 'desc']).default('desc'),
      limit: limitInput,
      after: z.string().max(2048).optional(),
    })
    .superRefine((query, context) => {
      const { sort, order, after } = query as { readonly sort: string; readonly order: string; readonly after?: string }
      if (after !== undefined && decode(after, sort, order) === undefined)
        context.addIssue({ code: 'custom', path: ['after'], message: 'not the next of a page in this order' })
    }),
  response: listOf(name, item),
})

const Total = z.object({
  count: z.int(),
  /** False if the true number may be different or larger. */
  isExact: z.boolean(),
})

const totalInput = z
  .stringbool({ truthy: ['true'], falsy: ['false'] })
  .optional()
  .meta({ description: 'Also return the number of rows, which is exact up to 10,000.' })

/** Declares the total of a list. `total` is null unless the query requests it. */
export const counted = <Query extends z.ZodRawShape, Response extends z.ZodRawShape>({
  query,
  response,
}: {
  readonly query: z.ZodObject<Query>
  readonly response: z.ZodObject<Response>
}) => ({
  query: (query as z.ZodObject).safeExtend({ total: totalInput }) as z.ZodType as z.ZodObject<
    Query & { readonly total: typeof totalInput }
  >,
  response: response.extend({ total: Total.nullable() }) as z.ZodType as z.ZodObject<
    Response & { readonly total: z.ZodNullable<typeof Total> }
  >,
})

/** What the store needs, from a query of `sortedPage`. It asks for one row more than the page, to find out whether another page follows. */
export const cursorOf = <Sort extends string>({
  sort,
  order,
  limit,
  after,
  total = false,
}: {
  readonly sort: Sort
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly after?: string | undefined
  readonly total?: boolean | undefined
}): Cursor<Sort> => ({
  ...{ sort, order, limit: limit + 1, after: after === undefined ? undefined : decode(after, sort, order) },
  isCounted: total,
})

/** The rows of a page and its `next`. Removes the additional row. */
export const cutPage = <Row>(rows: readonly Row[], limit: number, nextOf: (last: Row) => string) => {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { rows: rows.slice(0, limit), next: last === undefined ? null : nextOf(last) }
}

/** Rows of a sorted list with their positions. `lookedTo` is the position that the store has reached, if more rows may follow (`readWindow`). */
export interface PlacedRows<Row> {
  readonly found: readonly { readonly row: Row; readonly position: Position }[]
  readonly lookedTo: Position | undefined
  /** Number of all rows, if it was requested. */
  readonly total?: z.output<typeof Total> | undefined
}

type Part = Pick<Cursor, 'limit' | 'after'>

/**
 * A page of two lists that follow each other. Positions in the first list are texts, and in the second numbers. If the first list ends
 * within the page, the second one fills it.
 */
export const readInTurn = async <Row>(
  { limit, after }: Part,
  [readFirst, readSecond]: readonly [(part: Part) => Promise<PlacedRows<Row>>, (part: Part) => Promise<PlacedRows<Row>>],
): Promise<PlacedRows<Row>> => {
  if (typeof after?.value === 'number') return readSecond({ limit, after })
  const first = await readFirst({ limit, after })
  if (first.found.length === limit || first.lookedTo !== undefined) return first
  const second = await readSecond({ limit: limit - first.found.length, after: undefined })
  return { found: [...first.found, ...second.found], lookedTo: second.lookedTo }
}

/** The rows and the `next` of a page, made from the rows that a store has found. */
export const placedPage = <Row>(query: Pick<Cursor, 'sort' | 'order' | 'limit'>, { found, lookedTo, total }: PlacedRows<Row>) => {
  const { rows, next } = cutPage(found, query.limit, (last) => nextAfter(query, last.position))
  const goesOn = lookedTo === undefined ? null : nextAfter(query, lookedTo)
  return { rows: rows.map(({ row }) => row), next: next ?? goesOn, total: total ?? null }
}

/** The opaque `next` of a page that ends with this row. */
export const nextAfter = ({ sort, order }: Pick<Cursor, 'sort' | 'order'>, { value, id }: Position): string =>
  encode(JSON.stringify([sort, order, value, id]))

/** A VALIDATION_ERROR about a parameter that its schema cannot check. */
export const invalidQuery = (path: string, message: string) =>
  coreErrors.error('VALIDATION_ERROR', { message: 'Invalid query parameters', issues: [{ path, message }] })

/** A VALIDATION_ERROR about an `after` that does not come from this list. */
export const noPosition = () => invalidQuery('after', 'not the next of a page in this order')

/** The position for a store that sorts by a column of text. Throws VALIDATION_ERROR for a cursor without text. */
export const textAfter = (after: Position | undefined): readonly [string, string] | undefined => {
  if (after === undefined) return undefined
  if (typeof after.value !== 'string') throw noPosition()
  return [after.value, after.id]
}

/** The position for a store that sorts by row numbers. Throws VALIDATION_ERROR. */
export const numberAfter = (after: Position | undefined): number | undefined => {
  if (after !== undefined && !(Number.isSafeInteger(after.value) && Number(after.value) > 0)) throw noPosition()
  return after && Number(after.value)
}

/** The range of times that both databases can store: the years 1 to 9999. */
const [firstTime, lastTime] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** The position for a store that sorts by a column of times. Cursors contain milliseconds. Throws VALIDATION_ERROR. */
export const timeAfter = (after: Position | undefined): readonly [Date, string] | undefined => {
  if (after === undefined) return undefined
  const { value, id } = after
  if (typeof value !== 'number' || value < firstTime || value > lastTime) throw noPosition()
  return [new Date(value), id]
}
