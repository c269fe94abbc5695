import { z } from 'zod'
import { int, Metadata, Stamps, text } from './shared.ts'

const Clause = z.object({
  property: text,
  operator: z.enum(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'like', 'not_like']),
  value: z.union([text, int, z.boolean()]),
})

/** Which usage a meter counts: clauses and filters, nested to any depth. */
export interface Filter {
  readonly conjunction: 'and' | 'or'
  readonly clauses: readonly (z.output<typeof Clause> | Filter)[]
}
const Filter: z.ZodType<Filter> = z.object({
  conjunction: z.enum(['and', 'or']),
  get clauses(): z.ZodType<Filter['clauses']> {
    return z.array(z.union([Clause, Filter]))
  },
})

/** What a meter makes of the usage; `unique` came later. */
const Aggregation = z.discriminatedUnion('func', [
  z.object({ func: z.literal('count') }),
  z.object({ func: z.enum(['sum', 'max', 'min', 'avg', 'unique']), property: text }),
])

/** What counts usage (billing-events.md, section 5.6). */
export const Meter = z.object({
  ...Stamps,
  id: text,
  name: text,
  metadata: Metadata,
  filter: Filter,
  aggregation: Aggregation,
  organization_id: text,
})
export type Meter = z.output<typeof Meter>
