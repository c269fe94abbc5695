import type { Commands } from '../feature.ts'
import { type DeliveryNeeds, deliveryCommands } from './intake/cli/deliveries.ts'
import { type EndpointNeeds, endpointCommands } from './intake/cli/endpoints.ts'
import { type SimulationNeeds, simulationCommands } from './simulation/cli.ts'

export const billingCommands: Commands<EndpointNeeds & DeliveryNeeds & SimulationNeeds> = (program, cli) => {
  for (const add of [endpointCommands, deliveryCommands, simulationCommands]) add(program, cli)
}
