import { type Base, type Built, defineFeature } from '../../feature.ts'
import { personalDataEvents } from './events.ts'
import { personalDataRoutes } from './routes.ts'
import { createPersonalData } from './service.ts'

/** The download of one's own data, of which each feature declares its part. */
export const personalDataFeature = defineFeature({
  name: 'personal-data',
  events: personalDataEvents,
  build: (base: Base) => {
    const own = createPersonalData(base)
    return { api: {}, routes: personalDataRoutes(own), personalData: [own.ownEvents] } satisfies Built
  },
})
