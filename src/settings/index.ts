import { describeOwnTexts, type TextsConfig } from '../core/own-texts.ts'
import { type Base, defineFeature } from '../feature.ts'
import { settingsRoutes } from './routes.ts'

/** The configuration as it is in effect. */
export const settingsFeature = defineFeature({
  name: 'settings',
  build: (base: Base, config: TextsConfig) => ({ api: {}, routes: settingsRoutes(base.settings, describeOwnTexts(config)) }),
})
