import type { Entitlement, Entitlements } from '../entitlements/rules.ts'

/** What one owner gets by other rules. */
export interface Difference {
  readonly gains: readonly string[]
  readonly loses: readonly string[]
  readonly changes: readonly { readonly name: string; readonly before: Given; readonly after: Given }[]
  readonly plan: { readonly before: string | null; readonly after: string | null } | null
  readonly seats: { readonly before: number | null; readonly after: number | null } | null
}

type Given = Pick<Entitlement, 'value' | 'quantity' | 'validUntil'>

const givenBy = ({ value, quantity, validUntil }: Entitlement): Given => ({ value, quantity, validUntil })

const isSame = (a: Given, b: Given) =>
  a.value === b.value && a.quantity === b.quantity && a.validUntil?.getTime() === b.validUntil?.getTime()

/** How two results of rules for the same purchases differ; undefined: not at all. */
export const differenceOf = (before: Entitlements, after: Entitlements, hasSeats: boolean): Difference | undefined => {
  const [old, next] = [before, after].map(({ entitlements }) => new Map(entitlements.map((one) => [one.name, one]))) as [
    Map<string, Entitlement>,
    Map<string, Entitlement>,
  ]
  const gains = [...next.keys()].filter((name) => !old.has(name))
  const loses = [...old.keys()].filter((name) => !next.has(name))
  const changes = [...old].flatMap(([name, one]) => {
    const other = next.get(name)
    return other === undefined || isSame(one, other) ? [] : [{ name, before: givenBy(one), after: givenBy(other) }]
  })
  const plan = before.plan === after.plan ? null : { before: before.plan, after: after.plan }
  const seats = !hasSeats || before.seats === after.seats ? null : { before: before.seats, after: after.seats }
  const isChanged = gains.length + loses.length + changes.length > 0 || plan !== null || seats !== null
  return isChanged ? { gains, loses, changes, plan, seats } : undefined
}
