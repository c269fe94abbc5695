import { z } from 'zod'
import { instant } from '../core/wire.ts'

/** Languages of pages and mails with the specification's numbers (accounts specification, section 1). */
export const languageCodes = { ru: 0, uk: 1, en: 3, es: 4, de: 6, pl: 15, fr: 16, tr: 82 } as const

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
