import { type Base, defineFeature } from '../feature.ts'
import { settingsRoutes } from './routes.ts'

/** The configuration as it is in effect. */
export const settingsFeature = defineFeature({
  name: 'settings',
  build: (base: Base) => ({ api: {}, routes: settingsRoutes(base.settings) }),
})
