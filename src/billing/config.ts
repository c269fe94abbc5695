import { z } from 'zod'
import { checkEntitlements, entitlementKeys } from './entitlements/config.ts'
import { maxSecrets, secretProblem } from './ingest/rules.ts'

const webhookSecret = z.string({ error: 'Expected secret to be of type string' }).superRefine((secret, context) => {
  const problem = secretProblem(secret)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem.message })
})

const secretKeys = {
  secrets: z
    .array(webhookSecret)
    .min(1, "Secret can't be empty.")
    .max(maxSecrets)
    .optional()
    .meta({
      secret: true,
      variable: 'WEBHOOK_SECRET',
      description:
        'Signing secrets of the endpoint `/webhooks/polar`, newest first, exactly as the billing platform shows them; at least 24 bytes. ' +
        'Without one the endpoint does not exist. A secret with a comma in it fits the YAML file only.',
    }),
}

const openKeys = {
  onInvalid: z
    .enum(['quarantine', 'accept'])
    .default('quarantine')
    .describe(
      'Answer to a signed event of an unknown type or of a wrong shape: 400, or 202 so that the sender does not count it as failed. ' +
        'It is kept for `replay-delivery` either way.',
    )
    .meta({ weakened: 'never' }),
  toleranceSeconds: z
    .int()
    .min(1)
    .max(300)
    .default(300)
    .describe('How far the time of a delivery may be from now, in seconds.')
    .meta({ weakened: 'higher' }),
  retentionDays: z
    .int()
    .min(1)
    .max(36_500)
    .optional()
    .describe(
      'Days after which deliveries that nothing rests on any more are deleted; kept for good when not set. One in quarantine is deleted only after `dismiss-delivery`.',
    )
    .meta({ weakened: 'never' }),
  maxBodyBytes: z
    .int()
    .min(65_536)
    .max(16_777_216)
    .default(1_048_576)
    .describe('Largest body of a delivery, in bytes.')
    .meta({ weakened: 'never' }),
  maxUnverifiedBytes: z
    .int()
    .min(1_048_576)
    .max(1_073_741_824)
    .default(33_554_432)
    .describe(
      'Bytes of deliveries under way that are held in memory before their signature can be checked, all connections together; ' +
        'beyond it 503, and the sender tries again.',
    )
    .meta({ weakened: 'never' }),
  ...entitlementKeys,
}

export const billingConfig = z
  .strictObject({ ...secretKeys, ...openKeys })
  .superRefine(checkEntitlements)
  .prefault({})

/** The keys of `billing` that are not secret. A dry run of other rules sends them. */
export const openBillingConfig = z.strictObject(openKeys).superRefine(checkEntitlements)

export type BillingConfig = z.output<typeof billingConfig>
