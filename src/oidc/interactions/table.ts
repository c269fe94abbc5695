import { z } from 'zod'
import { Interaction } from '../contract.ts'

const AnyFields = z.record(z.string(), z.unknown())

/**
 * The fields of a stored authorization request that this server reads. The library and `adapter.ts` write them. All other fields stay
 * unchanged.
 */
export const StoredInteraction = z.looseObject({
  prompt: z.looseObject({
    name: Interaction.shape.prompt,
    details: z.looseObject({ acr: z.string().optional(), isVoluntary: z.boolean().optional() }).optional(),
  }),
  params: AnyFields,
  lastSubmission: AnyFields.optional(),
  /** The user who was signed in when the interaction started. */
  accountId: z.string().nullable(),
  /** The organization of the sign-in; absent until it is decided, null for none. */
  organizationId: z.string().nullish(),
  /** Names the device code that the person decides about. Absent for an application with a redirect URI. */
  deviceCode: z.string().optional(),
  result: z.looseObject({ error: z.string().optional() }).optional(),
  /** The scopes to which the person has agreed in this interaction and not before. A denial withdraws them. */
  addedScopes: z.array(z.string()).optional(),
  started: z.looseObject({ at: z.number(), sessionId: z.string().nullable() }),
})
export type StoredInteraction = z.output<typeof StoredInteraction>
