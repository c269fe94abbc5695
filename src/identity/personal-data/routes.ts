import { Download } from '../../http/contract.ts'
import { bind, documented } from '../../http/handlers.ts'
import { personalDataContract } from './contract.ts'
import { personalDataDocumentation } from './documentation.ts'
import type { createPersonalData } from './service.ts'

export const personalDataRoutes = ({ download }: Pick<ReturnType<typeof createPersonalData>, 'download'>) =>
  bind(documented(personalDataContract, personalDataDocumentation), {
    downloadUserData: async (principal) => new Download('gatehouse-data.json', await download(principal)),
  })
