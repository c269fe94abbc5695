import { z } from 'zod'
import { instant, Named } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

const CheckResult = z.object({
  check: z.string(),
  severity: z.enum(['ok', 'notice', 'warning', 'failed']),
  message: z.string(),
  remedy: z.string().nullable(),
  /** The code of the finding, for pages in other languages; null for a check in order, and for a fault that keeps the server from serving. */
  code: z.string().nullable(),
  /** The values for the placeholders of its text. */
  values: z.record(z.string(), z.string().or(z.number())),
  /** The resources that the values name by id. */
  mentions: z.array(Named),
  /** The time of the first finding; null for a check in order, and for a new finding. To five minutes. */
  since: instant.nullable(),
})

export const healthAdminContract = contract('Administration of the instance', {
  diagnose: {
    method: 'GET',
    path: '/admin/health',
    summary: 'The findings of `gatehouse doctor`, with their weight and remedy',
    access: { permission: 'health:read' },
    response: z.object({ checks: z.array(CheckResult) }),
    errors: ['FORBIDDEN'],
  },
})
