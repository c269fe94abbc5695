import type { Commands } from '../feature.ts'
import { type ExplainNeeds, explainCommands } from './entitlements/cli.ts'
import { type DeliveryNeeds, deliveryCommands } from './ingest/cli/deliveries.ts'
import { type EndpointNeeds, endpointCommands } from './ingest/cli/endpoints.ts'
import { type LinkNeeds, linkCommands } from './links/cli.ts'
import { type SimulationNeeds, simulationCommands } from './simulator/cli.ts'
import { type StateNeeds, stateCommands } from './state/cli.ts'

export const billingCommands: Commands<
  EndpointNeeds & DeliveryNeeds & StateNeeds & LinkNeeds & ExplainNeeds & SimulationNeeds
> = (program, cli) => {
  for (const add of [endpointCommands, deliveryCommands, stateCommands, linkCommands, explainCommands, simulationCommands])
    add(program, cli)
}
