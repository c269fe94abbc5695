import { z } from 'zod'
import { Interaction } from '../contract.ts'

const AnyFields = z.record(z.string(), z.unknown())

/** What the library keeps of an authorization request, with what `adapter` adds. What else is there is left as it is. */
export const StoredInteraction = z.looseObject({
  prompt: z.looseObject({
    name: Interaction.shape.prompt,
    details: z.looseObject({ acr: z.string().optional(), isVoluntary: z.boolean().optional() }).optional(),
  }),
  params: AnyFields,
  lastSubmission: AnyFields.optional(),
  /** The user who was signed in when the interaction started. */
  accountId: z.string().nullable(),
  /** What the sign-in is for, once that is decided. */
  organizationId: z.string().nullish(),
  /** Names the code of the device that is let in; absent for an application that the browser returns to. */
  deviceCode: z.string().optional(),
  result: z.looseObject({ error: z.string().optional() }).optional(),
  /** Scopes that the person agreed to here and not before: a denial withdraws them. */
  addedScopes: z.array(z.string()).optional(),
  started: z.looseObject({ at: z.number(), sessionId: z.string().nullable() }),
})
export type StoredInteraction = z.output<typeof StoredInteraction>
