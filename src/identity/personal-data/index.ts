import { type Base, type Built, defineFeature } from '../../feature.ts'
import { Download } from '../../http/contract.ts'
import { bind, documented } from '../../http/handlers.ts'
import { personalDataContract, personalDataDocumentation, personalDataEvents } from './contract.ts'
import { createPersonalData } from './service.ts'

const personalDataRoutes = ({ download }: Pick<ReturnType<typeof createPersonalData>, 'download'>) =>
  bind(documented(personalDataContract, personalDataDocumentation), {
    downloadUserData: async (principal) => new Download('gatehouse-data.json', await download(principal)),
  })

/** Lets people download their own data. Each feature declares its part of the data. */
export const personalDataFeature = defineFeature({
  name: 'personal-data',
  events: personalDataEvents,
  build: (base: Base) => {
    const own = createPersonalData(base)
    return { api: {}, routes: personalDataRoutes(own), personalData: [own.ownEvents] } satisfies Built
  },
})
