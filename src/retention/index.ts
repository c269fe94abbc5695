import { type Base, type Built, defineFeature } from '../feature.ts'
import { retentionCommands } from './cli.ts'
import { retentionEvents } from './events.ts'
import { createPruning } from './service.ts'

/** The command that immediately deletes expired data of all features. */
export const retentionFeature = defineFeature({
  name: 'retention',
  events: retentionEvents,
  commands: [retentionCommands],
  build: (base: Base) => ({ api: { pruning: createPruning(base) } }) satisfies Built,
})
