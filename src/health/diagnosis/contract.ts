import { z } from 'zod'
import { instant, Named } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

const CheckResult = z.object({
  check: z.string(),
  severity: z.enum(['ok', 'notice', 'warning', 'failed']),
  message: z.string(),
  remedy: z.string().nullable(),
  /** What was found, for who says it in other words; null for what is in order, and for what keeps the server from serving. */
  code: z.string().nullable(),
  /** What stands in the places of its words. */
  values: z.record(z.string(), z.string().or(z.number())),
  /** What the values name by id. */
  mentions: z.array(Named),
  /** When it was found first; null for what is in order, or was not found before. To five minutes. */
  since: instant.nullable(),
})

export const healthAdminContract = contract('Administration of the instance', {
  diagnose: {
    method: 'GET',
    path: '/admin/health',
    summary: 'What needs a person, how much it matters and what mends it: the checks of `gatehouse doctor`',
    access: { permission: 'health:read' },
    response: z.object({ checks: z.array(CheckResult) }),
    errors: ['FORBIDDEN'],
  },
})
