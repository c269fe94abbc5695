import { z } from 'zod'
import { contract } from '../../http/contract.ts'

export const pageErrorContract = contract('Health', {
  reportPageError: {
    method: 'POST',
    path: '/hosted/page-error',
    summary: 'Report an error of a script on a hosted page, for the log, the metrics and `doctor`',
    access: 'anonymous',
    limit: 'strict',
    ownPages: true,
    body: z.object({
      /** Path of the page. */
      page: z.string().max(500),
      /** Name of the error. */
      name: z.string().max(100),
      message: z.string().max(1000),
      /** Places in scripts, the innermost one first. */
      source: z.string().max(500),
    }),
    response: z.object({ ok: z.literal(true) }),
    errors: [],
    hidden: true,
  },
})
