import { z } from 'zod'

export const applyConfig = z
  .strictObject({
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Declaration of applications, organizations and webhook endpoints (docs/how-to/apply.md) that is applied at each start, by one node at a ' +
          'time. A start that cannot apply it ends.',
      ),
  })
  .prefault({})

export type ApplyConfig = z.output<typeof applyConfig>
