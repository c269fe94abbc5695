import { bind, documented } from '../../http/handlers.ts'
import { rulesContract, rulesDocumentation } from './contract.ts'
import type { RulesService } from './service.ts'

const listed = (ids: readonly string[] | undefined) => (ids === undefined ? undefined : [...ids])

/** The calls that show the rules in effect and make a dry run of other rules. */
export const rulesRoutes = (rules: RulesService) =>
  bind(documented(rulesContract, rulesDocumentation), {
    entitlementRules: async () => {
      const { entitlements, plans, freeSeats, grace } = rules.inEffect()
      return {
        entitlements: entitlements.map(({ product, price, benefit, meter, ...rule }) => ({
          ...rule,
          ...{ product: listed(product), price: listed(price), benefit: listed(benefit), meter: listed(meter) },
        })),
        ...{ plans: [...plans], freeSeats, grace },
      }
    },
    dryRunRules: (_principal, { body }) => rules.dryRun(body),
  })
