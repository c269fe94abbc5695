import { z } from 'zod'
import { instant, Named } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

const CheckResult = z.object({
  check: z.string(),
  severity: z.enum(['ok', 'notice', 'warning', 'failed']),
  message: z.string(),
  remedy: z.string().nullable(),
  /**
   * The code of the finding, with which pages find its translated text. Null if the check has passed, and for a problem because of which
   * the instance cannot serve requests.
   */
  code: z.string().nullable(),
  /** The values for the placeholders in the translated text. */
  values: z.record(z.string(), z.string().or(z.number())),
  /** The resources whose ids occur in `values`. */
  mentions: z.array(Named),
  /** When the problem was first found, with a precision of five minutes. Null if the check has passed, and for a new finding. */
  since: instant.nullable(),
})

export const healthAdminContract = contract('Administration of the instance', {
  diagnose: {
    method: 'GET',
    path: '/admin/health',
    summary: 'Get the findings of `gatehouse doctor`, each with its severity and remedy',
    access: { permission: 'health:read' },
    response: z.object({ checks: z.array(CheckResult) }),
    errors: ['FORBIDDEN'],
  },
})
