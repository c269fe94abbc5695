import { z } from 'zod'
import { contract } from '../http/contract.ts'
import type { WritableField } from '../identity/users/contract.ts'

const ok = z.object({ ok: z.literal(true) })

export const healthContract = contract('Health', {
  ok: { method: 'GET', path: '/ok', summary: 'The server answers', access: 'anonymous', limit: 'none', response: ok, errors: [] },
  livez: {
    method: 'GET',
    path: '/livez',
    summary: 'The process answers; touches no database',
    access: 'anonymous',
    limit: 'none',
    response: ok,
    errors: [],
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    summary: 'Database reachable, migrations current, signing keys present, not shutting down',
    access: 'anonymous',
    limit: 'none',
    response: z.object({ ok: z.literal(true), checks: z.record(z.string(), z.literal('ok')) }),
    errors: ['NOT_READY'],
  },
  settings: {
    method: 'GET',
    path: '/hosted/settings',
    summary: 'What the hosted pages need to know before they show',
    access: 'anonymous',
    response: z.object({
      name: z.string(),
      signUpEnabled: z.boolean(),
      emailVerificationRequired: z.boolean(),
      passwordMinLength: z.number(),
      passwordMaxLength: z.number(),
      passwordResetEnabled: z.boolean(),
      passkeysEnabled: z.boolean(),
      mailSignInEnabled: z.boolean(),
      /** The sign-in page asks for the address before anything else. */
      addressFirst: z.boolean(),
      changeEmailEnabled: z.boolean(),
      deleteUserEnabled: z.boolean(),
      /** Deleting an account takes a mailed link. */
      deleteUserVerification: z.boolean(),
      /** Providers to sign in with. */
      socialProviders: z.array(z.object({ id: z.string(), name: z.string() })),
      /** The extra fields that users may set themselves. */
      userFields: z.array(z.unknown() as z.ZodType<WritableField, WritableField>),
      organizationsEnabled: z.boolean(),
      teamsEnabled: z.boolean(),
      /** Who may create organizations, so that the pages do not offer what the server would refuse. */
      organizationCreation: z.enum(['everybody', 'verified', 'admins', 'nobody']),
    }),
    errors: [],
    hidden: true,
  },
})
