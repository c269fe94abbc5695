import { describeOwnTexts, type TextsConfig } from '../core/own-texts.ts'
import { type Base, defineFeature } from '../feature.ts'
import { createDaemonConfigurations, type DaemonConfigurations, noteMs } from './daemons.ts'
import { settingsRoutes } from './routes.ts'

export type { DaemonConfigurations }

/** The configuration as it is in effect. */
export const settingsFeature = defineFeature({
  name: 'settings',
  build: (base: Base, config: TextsConfig) => {
    const daemonConfigurations = createDaemonConfigurations(base)
    return {
      api: { daemonConfigurations },
      routes: settingsRoutes(base.settings, describeOwnTexts(config)),
      jobs: [{ name: 'settings.note', everyMs: noteMs, run: daemonConfigurations.note, onStop: daemonConfigurations.forget }],
    }
  },
})
