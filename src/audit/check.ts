import { type Check, defineFindings } from '../core/checks.ts'
import type { Chain } from '../core/events/chain.ts'
import type { Audit } from './service.ts'

const readerFindings = defineFindings({
  'event-reader-fails': {
    message: 'The reader {name} has failed {failures} times since {since} and is {lag} events behind: {why}',
    remedy: 'mend what its message names; it goes on by itself',
  },
})

const sealingFindings = defineFindings({
  'event-chain-unsealed': {
    message: 'This node seals no events: it does not have the master secret with which the chain of events is sealed.',
    remedy: 'give every node the same list of secrets: GATEHOUSE_SECRET, newest first',
  },
})

/** Readers of events whose handler fails. Nothing is lost: they go on where they stopped. */
export const readerCheck = (audit: Pick<Audit, 'readers'>): Check => ({
  name: 'event-readers',
  texts: readerFindings.texts,
  run: async () =>
    (await audit.readers()).flatMap(({ name, failingSince, failures, lastError, lag }) =>
      failingSince === null
        ? []
        : [
            readerFindings.found('warning', 'event-reader-fails', {
              ...{ name, failures, since: failingSince.toISOString(), lag, why: lastError ?? '' },
            }),
          ],
    ),
})

/** A node without the newest master secret: the others seal the events, or nobody does. */
export const sealingCheck = (chain: Pick<Chain, 'lacksSecret'>): Check => ({
  name: 'event-chain',
  texts: sealingFindings.texts,
  run: async () => ((await chain.lacksSecret()) ? [sealingFindings.found('failed', 'event-chain-unsealed')] : []),
})
