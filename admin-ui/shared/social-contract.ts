import { z } from 'zod'
import { contract } from '../../src/http/contract.ts'

const start = {
  method: 'POST',
  response: z.object({ url: z.string().optional(), redirect: z.boolean() }),
  errors: [],
} as const

/** Until the social feature brings its own. */
export const socialContract = contract({
  signInSocial: {
    ...start,
    path: '/sign-in/social',
    summary: 'Begin a sign-in at a provider',
    access: 'public',
    body: z.object({
      provider: z.string(),
      callbackURL: z.string().optional(),
      errorCallbackURL: z.string().optional(),
      disableRedirect: z.boolean().optional(),
    }),
  },
  linkSocial: {
    ...start,
    path: '/link-social',
    summary: 'Connect an account at a provider',
    access: 'session',
    body: z.object({ provider: z.string(), callbackURL: z.string().optional(), errorCallbackURL: z.string().optional() }),
  },
})
