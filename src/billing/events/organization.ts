import { z } from 'zod'
import { Stamps, text, time } from './shared.ts'

/** The seller (billing-events.md, section 6.6), not to be mixed up with an organization of ours. */
export const Organization = z.object({
  ...Stamps,
  id: text,
  name: text,
  slug: text,
  avatar_url: text.nullable(),
  email: text.nullable(),
  website: text.nullable(),
  socials: z.array(
    z.object({
      platform: z.enum(['x', 'github', 'facebook', 'instagram', 'youtube', 'tiktok', 'linkedin', 'other', 'threads', 'discord']),
      url: text,
    }),
  ),
  details_submitted_at: time.nullable(),
  feature_settings: z.object({ issue_funding_enabled: z.boolean().optional() }).nullable(),
  subscription_settings: z.object({
    allow_multiple_subscriptions: z.boolean(),
    allow_customer_updates: z.boolean(),
    proration_behavior: z.enum(['invoice', 'prorate', 'next_period']),
  }),
})
export type Organization = z.output<typeof Organization>
