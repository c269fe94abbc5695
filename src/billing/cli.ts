import type { Commands } from '../feature.ts'
import { type ExplainNeeds, explainCommands } from './entitlements/cli.ts'
import { type DeliveryNeeds, deliveryCommands } from './intake/cli/deliveries.ts'
import { type EndpointNeeds, endpointCommands } from './intake/cli/endpoints.ts'
import { type LinkingNeeds, linkingCommands } from './linking/cli.ts'
import { type ProjectionNeeds, projectionCommands } from './projection/cli.ts'
import { type SimulationNeeds, simulationCommands } from './simulation/cli.ts'

export const billingCommands: Commands<
  EndpointNeeds & DeliveryNeeds & ProjectionNeeds & LinkingNeeds & ExplainNeeds & SimulationNeeds
> = (program, cli) => {
  for (const add of [
    endpointCommands,
    deliveryCommands,
    projectionCommands,
    linkingCommands,
    explainCommands,
    simulationCommands,
  ])
    add(program, cli)
}
