import type { z } from 'zod'
import { bind, documented } from '../../../../http/handlers.ts'
import { type EffectiveProvider, providerAdministrationContract } from './contract.ts'
import { providerAdministrationDocumentation } from './documentation.ts'

/** The providers for administrators. */
export const providerAdministrationRoutes = (describe: () => readonly z.output<typeof EffectiveProvider>[]) =>
  bind(documented(providerAdministrationContract, providerAdministrationDocumentation), {
    adminListProviders: () => ({ providers: [...describe()] }),
  })
