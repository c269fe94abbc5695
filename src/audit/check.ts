import type { Check } from '../core/checks.ts'
import type { Chain } from '../core/events/chain.ts'
import type { Audit } from './service.ts'

/** Readers of events whose handler fails. Nothing is lost: they go on where they stopped. */
export const readerCheck = (audit: Pick<Audit, 'readers'>): Check => ({
  name: 'event-readers',
  run: async () =>
    (await audit.readers()).flatMap(({ name, failingSince, failures, lastError, lag }) =>
      failingSince === null
        ? []
        : [
            {
              severity: 'warning' as const,
              message: `The reader ${name} has failed ${failures} times since ${failingSince.toISOString()} and is ${lag} events behind: ${lastError}`,
              remedy: 'mend what its message names; it goes on by itself',
            },
          ],
    ),
})

/** A node without the newest master secret: the others seal the events, or nobody does. */
export const sealingCheck = (chain: Pick<Chain, 'lacksSecret'>): Check => ({
  name: 'event-chain',
  run: async () =>
    (await chain.lacksSecret())
      ? [
          {
            severity: 'failed',
            message: 'This node seals no events: it does not have the master secret with which the chain of events is sealed.',
            remedy: 'give every node the same list of secrets: GATEHOUSE_SECRET, newest first',
          },
        ]
      : [],
})
