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
      /** Path of the page in which the error occurred. */
      page: z.string().max(500),
      /** Name of the error. */
      name: z.string().max(100),
      message: z.string().max(1000),
      /** Lines of the stack trace, the innermost call first. */
      source: z.string().max(500),
    }),
    response: z.object({ ok: z.literal(true) }),
    errors: [],
    hidden: true,
  },
})
