import { z } from 'zod'

export const eventsConfig = z
  .strictObject({
    keepDays: z
      .int()
      .min(7)
      .max(3650)
      .default(400)
      .describe(
        'Days for which events are kept: what happened, who did it and from where. Older ones are deleted, up to a checkpoint of the chain.',
      ),
    log: z
      .boolean()
      .default(false)
      .describe('Write every event to the log as well, a moment after it happened, for a system that collects logs.'),
  })
  .prefault({})

export type EventsConfig = z.output<typeof eventsConfig>
