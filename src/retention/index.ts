import { type Base, type Built, defineFeature } from '../feature.ts'
import { retentionCommands } from './cli.ts'
import { retentionEvents } from './events.ts'
import { createPruning } from './service.ts'

/** What all features keep for a while, deleted at once. */
export const retentionFeature = defineFeature({
  name: 'retention',
  events: retentionEvents,
  commands: [retentionCommands],
  build: (base: Base) => ({ api: { pruning: createPruning(base) } }) satisfies Built,
})
