import { z } from 'zod'
import { instant, Named } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

const CheckResult = z.object({
  check: z.string(),
  severity: z.enum(['ok', 'notice', 'warning', 'failed']),
  message: z.string(),
  remedy: z.string().nullable(),
  /** The code of the finding, by which its text is translated. Null for a passed check, and for a problem that prevents serving. */
  code: z.string().nullable(),
  /** Values for the placeholders in its text. */
  values: z.record(z.string(), z.string().or(z.number())),
  /** Resources whose ids are among the values. */
  mentions: z.array(Named),
  /** When the problem was first found, to five minutes. Null for a passed check and for a new finding. */
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
