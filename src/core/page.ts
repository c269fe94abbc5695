import { z } from 'zod'
import { coreErrors } from './errors.ts'
import { isBroken } from './wire.ts'

/** The start of a page in a sorted list: the page begins after the row with this value and id. The value is never null. */
export interface Position {
  readonly value: string | number
  readonly id: string
}

/** What a store needs to know to read a page. It reads at most `limit` rows after the position `after`, sorted by `sort` and then by id. */
export interface Cursor<Sort extends string = string> {
  readonly sort: Sort
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly after: Position | undefined
  /** True if the store should also count all rows. */
  readonly isCounted?: boolean
}

const limitInput = z.coerce.number<string | number>().int().min(1).max(100).default(50)

const Content = z.tuple([z.string(), z.enum(['asc', 'desc']), z.union([z.string(), z.number()]), z.string()])

const encode = (text: string) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '')

/** Reads the position from the text of a cursor. Undefined if the cursor was made for another sort or order. */
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
 * Declares query and response of a list that has pages and only one order. In the query, `after` is the id of the last row of the
 * previous page. In the response, `next` is the `after` for the next page, or null on the last page. The rows are not counted, because
 * there may be millions.
 */
export const page = <const Name extends string, Item extends z.ZodType, Filter extends z.ZodRawShape>(
  name: Name,
  item: Item,
  { filter, after }: { readonly filter: Filter; readonly after: z.ZodType<string, string> },
) => ({ query: z.object({ ...filter, limit: limitInput, after: after.optional() }), response: listOf(name, item) })

/**
 * Declares a list that callers can sort. `sorts` are the columns to choose from, and the first is the default. `after` is an opaque text
 * that contains the value and id of a row, so the next page is right even if rows are added or deleted meanwhile. The answer is
 * VALIDATION_ERROR if `after` is malformed or was made for another sort.
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
  /** False if the true number may differ from `count`. */
  isExact: z.boolean(),
})

const totalInput = z
  .stringbool({ truthy: ['true'], falsy: ['false'] })
  .optional()
  .meta({ description: 'Also return the number of rows, which is exact up to 10,000.' })

/** Adds a total to a list. `total` in the response is null unless the query asks for it. */
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

/**
 * Turns a query of `sortedPage` into what the store needs. The limit is one more than the page has, because an additional row shows that
 * another page follows.
 */
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

/** Makes the rows of a page and its `next`. An additional row is removed. */
export const cutPage = <Row>(rows: readonly Row[], limit: number, nextOf: (last: Row) => string) => {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { rows: rows.slice(0, limit), next: last === undefined ? null : nextOf(last) }
}

/**
 * The rows of a sorted list that a store has found, with their positions. If more rows may follow, `lookedTo` is the position up to which
 * the store has searched (see `readWindow`).
 */
export interface PlacedRows<Row> {
  readonly found: readonly { readonly row: Row; readonly position: Position }[]
  readonly lookedTo: Position | undefined
  /** The number of all rows, if the query asked for it. */
  readonly total?: z.output<typeof Total> | undefined
}

type Part = Pick<Cursor, 'limit' | 'after'>

/**
 * One page of a list that consists of two lists, one after the other. Positions in the first list are texts, and positions in the second
 * are numbers. If the first list ends within the page, rows of the second one fill the page.
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

/** Makes the rows and the `next` of a page from what a store has found. */
export const placedPage = <Row>(query: Pick<Cursor, 'sort' | 'order' | 'limit'>, { found, lookedTo, total }: PlacedRows<Row>) => {
  const { rows, next } = cutPage(found, query.limit, (last) => nextAfter(query, last.position))
  const goesOn = lookedTo === undefined ? null : nextAfter(query, lookedTo)
  return { rows: rows.map(({ row }) => row), next: next ?? goesOn, total: total ?? null }
}

/** The opaque text for `next` on a page whose last row has this position. */
export const nextAfter = ({ sort, order }: Pick<Cursor, 'sort' | 'order'>, { value, id }: Position): string =>
  encode(JSON.stringify([sort, order, value, id]))

/** The VALIDATION_ERROR for a query parameter that its schema cannot check. */
export const invalidQuery = (path: string, message: string) =>
  coreErrors.error('VALIDATION_ERROR', { message: 'Invalid query parameters', issues: [{ path, message }] })

/** The VALIDATION_ERROR for an `after` that was not made for this list. */
export const noPosition = () => invalidQuery('after', 'not the next of a page in this order')

/** The position as a store needs it that sorts by a column of text. Throws VALIDATION_ERROR if the value of the position is not a text. */
export const textAfter = (after: Position | undefined): readonly [string, string] | undefined => {
  if (after === undefined) return undefined
  if (typeof after.value !== 'string') throw noPosition()
  return [after.value, after.id]
}

/** The position as a store needs it that sorts by row number. Throws VALIDATION_ERROR if the value of the position is not a number. */
export const numberAfter = (after: Position | undefined): number | undefined => {
  if (after !== undefined && !(Number.isSafeInteger(after.value) && Number(after.value) > 0)) throw noPosition()
  return after && Number(after.value)
}

/** The first and the last time that both databases can store, in the years 1 to 9999. */
const [firstTime, lastTime] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/**
 * The position as a store needs it that sorts by a column of times. A cursor contains a time in milliseconds. Throws VALIDATION_ERROR if
 * the value of the position is not such a time.
 */
export const timeAfter = (after: Position | undefined): readonly [Date, string] | undefined => {
  if (after === undefined) return undefined
  const { value, id } = after
  if (typeof value !== 'number' || value < firstTime || value > lastTime) throw noPosition()
  return [new Date(value), id]
}
