import { z } from 'zod'
import { daySeconds } from '../../core/time.ts'
import { type EntitlementRules, sourceKinds } from './rules/sources.ts'

const id = z.string().min(1).max(255)
const ids = z.union([id, z.array(id).min(1)], 'an id, or a list of ids').transform((given) => [given].flat())

/** The value of an entitlement cannot be false, an empty list or null, because such a value would mean that there is no entitlement. */
const value = z.union([z.string().max(255), z.number(), z.literal(true)], 'a text, a number or true')

const rule = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][\w.:-]{0,63}$/, 'up to 64 letters, digits and _ . : -'),
  product: ids.optional(),
  price: ids.optional(),
  benefit: ids.optional(),
  meter: ids.optional(),
  value: value.optional(),
  quantity: z.union([z.enum(['seats', 'balance']), z.number().min(0)], 'seats, balance or a number').optional(),
  combine: z.enum(['sum', 'max']).default('sum'),
  plan: z.string().min(1).max(100).optional(),
})
type Rule = z.output<typeof rule>

/** A larger number of seconds would give invalid dates. */
const seconds = z.int('a number of seconds').min(0).max(999_999_999)
const grace = z.union([z.literal('always'), seconds], 'always, or a number of seconds')

const described = (status: string) => `While a subscription is ${status}: \`always\`, or so many seconds after the change to it.`
const prepaid = (status: string) =>
  `While a subscription is ${status}: \`always\`, or so many seconds after the end of the paid period when no renewal is heard.`

/** The keys of `billing` that define entitlements. */
export const entitlementKeys = {
  entitlements: z
    .array(rule)
    .max(1000)
    .default([])
    .describe('Rules, best first: the entitlement of a product, price, benefit or meter (docs/how-to/billing.md).')
    .meta({ weakened: 'never' }),
  plans: z
    .array(z.string().min(1).max(100))
    .default([])
    .describe('Names of the plans, best first; when empty, the order of the rules.')
    .meta({ weakened: 'never' }),
  freeSeats: z
    .union([z.int().min(0), z.literal('unlimited')], 'a number of seats, or unlimited')
    .optional()
    .describe(
      'Members and open invitations of an organization that bought no seats, or whose subscription has ended: a number, or `unlimited`. ' +
        'Needed beside a rule with `quantity: seats`; without such a rule `unlimited` when not set.',
    )
    .meta({ weakened: 'never' }),
  grace: z
    .strictObject({
      active: grace.default(7 * daySeconds).describe(prepaid('active')),
      trialing: grace.default(7 * daySeconds).describe(prepaid('trialing')),
      past_due: grace.default(7 * daySeconds).describe(described('past_due: a payment failed and is tried again')),
      paused: grace.default(0).describe(described('paused')),
      unpaid: grace.default(0).describe(described('unpaid')),
      incomplete: grace.default(0).describe(described('incomplete: never paid yet')),
      canceled: seconds.default(0).describe('So many seconds after a canceled subscription ended.'),
      incomplete_expired: grace.default(0).describe(described('incomplete_expired')),
    })
    .prefault({})
    .meta({ weakened: 'never' }),
}

type Problem = readonly [key: string, message: string]

/** Finds contradictions within one rule. */
const problemsOf = (one: Rule): readonly Problem[] => {
  const kinds = sourceKinds.filter((kind) => one[kind] !== undefined)
  const [kind] = kinds
  const problems: Problem[] = []
  if (kind === undefined || kinds.length > 1) problems.push(['', `exactly one of ${sourceKinds.join(', ')} is needed`])
  if (one.value !== undefined && one.quantity !== undefined) problems.push(['quantity', 'a rule has a value or a quantity'])
  if (one.quantity === 'seats' && kind !== 'product' && kind !== 'price')
    problems.push(['quantity', 'only a product or price has seats'])
  if (one.quantity === 'balance' && kind !== 'meter') problems.push(['quantity', 'only a meter has a balance'])
  return problems
}

const shapeOf = ({ value: given, quantity }: Rule) => (quantity !== undefined ? 'quantity' : typeof (given ?? true))

/** Finds contradictions between a rule and earlier rules. Each rule is compared only with the first earlier rule that can contradict it. */
const conflictsIn = (): ((one: Rule, index: number) => readonly Problem[]) => {
  const first = new Map<string, { readonly index: number; readonly rule: Rule }>()
  const givenBy = new Map<string, number>()
  const planBy = new Map<string, { readonly index: number; readonly plan: string }>()
  return (one, index) => {
    const problems: Problem[] = []
    const before = first.get(one.name)
    if (before === undefined) first.set(one.name, { index, rule: one })
    else {
      const { index: number, rule: earlier } = before
      if (shapeOf(one) !== shapeOf(earlier))
        problems.push([
          one.quantity === undefined ? 'value' : 'quantity',
          `entitlements.${number} gives ${one.name} as another type`,
        ])
      if (one.combine !== earlier.combine)
        problems.push(['combine', `entitlements.${number} combines ${one.name} by ${earlier.combine}`])
    }
    let otherPlan: Problem | undefined
    for (const kind of sourceKinds)
      for (const each of one[kind] ?? []) {
        const source = `${kind} ${each}`
        const gift = `${one.name} ${source}`
        const giver = givenBy.get(gift)
        if (giver === undefined) givenBy.set(gift, index)
        else if (giver !== index) problems.push([kind, `${each} gives ${one.name} by entitlements.${giver} already`])
        if (one.plan === undefined) continue
        const known = planBy.get(source)
        if (known === undefined) planBy.set(source, { index, plan: one.plan })
        else if (known.plan !== one.plan)
          otherPlan ??= ['plan', `entitlements.${known.index} makes the same ${kind} the plan ${known.plan}`]
      }
    return otherPlan === undefined ? problems : [...problems, otherPlan]
  }
}

/** Largest number of contradictions that the message names. */
const mostProblems = 100

/** Reports contradictions within and between rules, each with its configuration key. The schema of the section calls it as `superRefine`. */
export const checkEntitlements = (
  config: Pick<EntitlementRules, 'plans' | 'freeSeats'> & { entitlements: readonly Rule[] },
  context: z.RefinementCtx,
) => {
  const { entitlements, plans, freeSeats } = config
  const fail = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message })
  const listed = new Set(plans)
  if (listed.size !== plans.length) fail(['plans'], 'must not name the same plan twice')
  const seats = entitlements.findIndex(({ quantity }) => quantity === 'seats')
  if (seats >= 0 && freeSeats === undefined)
    fail(['freeSeats'], `is needed beside entitlements.${seats} (quantity: seats): a number of seats, or unlimited`)
  const conflictsOf = conflictsIn()
  let named = 0
  for (const [index, one] of entitlements.entries()) {
    const problems = [...problemsOf(one), ...conflictsOf(one, index)]
    if (one.plan !== undefined && listed.size > 0 && !listed.has(one.plan)) problems.push(['plan', 'is not in billing.plans'])
    for (const [key, message] of problems) {
      if (named === mostProblems)
        return fail(['entitlements', index], `more than ${mostProblems} contradictions: further ones are not listed`)
      fail(['entitlements', index, ...(key === '' ? [] : [key])], message)
      named += 1
    }
  }
}
