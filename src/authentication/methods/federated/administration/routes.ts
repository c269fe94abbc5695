import type { z } from 'zod'
import type { Principal } from '../../../../access/principal.ts'
import { bind, documented } from '../../../../http/handlers.ts'
import { socialErrors } from '../contract.ts'
import {
  type BuiltInProvider,
  type EffectiveProvider,
  type ListedProvider,
  type ProviderTest,
  type ProviderUse,
  providerAdministrationContract,
  providerAdministrationDocumentation,
} from './contract.ts'

interface Services {
  readonly describe: () => readonly z.output<typeof EffectiveProvider>[]
  readonly builtIn: readonly z.output<typeof BuiltInProvider>[]
  readonly count: (providers: readonly z.output<typeof EffectiveProvider>[]) => Promise<z.output<typeof ListedProvider>[]>
  readonly use: (id: string) => Promise<z.output<typeof ProviderUse>>
  readonly test: (principal: Principal, id: string) => Promise<z.output<typeof ProviderTest>>
}

/** The endpoints with which administrators manage identity providers. */
export const providerAdministrationRoutes = ({ describe, builtIn, count, use, test }: Services) =>
  bind(documented(providerAdministrationContract, providerAdministrationDocumentation), {
    adminListProviders: async () => ({ providers: await count(describe()), builtIn: [...builtIn] }),
    adminProviderUse: async (_principal, { params: { id } }) => {
      if (!describe().some((provider) => provider.id === id)) throw socialErrors.error('PROVIDER_NOT_FOUND')
      return use(id)
    },
    adminTestProvider: (principal, { params: { id } }) => test(principal, id),
  })
