import type { Check } from '../core/checks.ts'
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
