import { bind } from '../../http/handlers.ts'
import { healthAdminContract } from './contract.ts'
import type { Diagnosis } from './service.ts'

export const healthAdminRoutes = (diagnosis: Diagnosis) =>
  bind(healthAdminContract, { diagnose: async (principal) => ({ checks: [...(await diagnosis.runFor(principal))] }) })
