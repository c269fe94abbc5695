import type { Commands } from '../feature.ts'
import { type DeliveryNeeds, deliveryCommands } from './intake/cli/deliveries.ts'
import { type EndpointNeeds, endpointCommands } from './intake/cli/endpoints.ts'

export const billingCommands: Commands<EndpointNeeds & DeliveryNeeds> = (program, cli) => {
  for (const add of [endpointCommands, deliveryCommands]) add(program, cli)
}
