import { z } from 'zod'
import { instant, languageCodes } from '../core/wire.ts'

/** One of the specification's languages by number. */
export const Language = z.literal(Object.values(languageCodes))

/** A user as answers show it. */
export const User = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    image: z.string().nullable(),
    role: z.string(),
    language: z.int().nullable(),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'User' })
