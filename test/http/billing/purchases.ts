/** Events about purchases, for tests of their effects. */
import { expect } from 'vitest'
import type { EventType } from '../../../src/billing/events/parse.ts'
import type { SimulationOptions } from '../../../src/billing/simulator/build.ts'
import type { TestApp } from '../../support/app.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../../support/billing.ts'
import type { Client } from '../../support/client.ts'

/** Configuration of an instance with billing rules. */
export const selling = (billing: Record<string, unknown>) => ({
  config: { oidc: { rsaModulusLength: 2048 }, billing: { secrets: [webhookSecret], ...billing } },
})

/** Sends an event and returns its webhook id once it was accepted. */
export const tell = async (t: TestApp, type: EventType, options: Partial<SimulationOptions> = {}): Promise<string> => {
  const delivery = signedDelivery(webhookSecret, eventOf(type, options))
  const answer = await post(t.url, delivery)
  expect([answer.status, await answer.text()]).toEqual([202, expect.any(String)])
  return delivery.headers['webhook-id'] ?? ''
}

export const idOf = async (client: Client): Promise<string> => (await client.api.sessions.getSession())?.user.id ?? ''
