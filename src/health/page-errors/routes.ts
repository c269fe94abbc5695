import { bind } from '../../http/handlers.ts'
import { pageErrorContract } from './contract.ts'
import type { PageErrors } from './service.ts'

export const pageErrorRoutes = (pageErrors: PageErrors) =>
  bind(pageErrorContract, {
    reportPageError: ({ userAgent }, { body }) => {
      pageErrors.report(userAgent, body)
      return { ok: true as const }
    },
  })
