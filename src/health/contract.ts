import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { locales } from '../core/locale.ts'
import { contract } from '../http/contract.ts'
import type { WritableField } from '../identity/users/contract.ts'

const ok = z.object({ ok: z.literal(true) })

export const healthContract = contract('Health', {
  ok: { method: 'GET', path: '/ok', summary: 'The server answers', access: 'anonymous', limit: 'none', response: ok, errors: [] },
  livez: {
    method: 'GET',
    path: '/livez',
    summary: 'Check that the process answers, without the database',
    access: 'anonymous',
    limit: 'none',
    response: ok,
    errors: [],
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    summary: 'Check that the node is ready: database reachable, migrations current, signing keys present, not shutting down',
    access: 'anonymous',
    limit: 'none',
    response: z.object({ ok: z.literal(true), checks: z.record(z.string(), z.literal('ok')) }),
    errors: ['NOT_READY'],
  },
  texts: {
    method: 'GET',
    path: '/hosted/texts/:language',
    summary: 'Get the operator’s own texts of the pages in one language',
    access: 'anonymous',
    params: z.object({ language: z.enum(locales) }),
    response: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])),
    errors: [],
    hidden: true,
  },
  settings: {
    method: 'GET',
    path: '/hosted/settings',
    summary: 'Get the settings that hosted pages need before they render',
    access: 'anonymous',
    response: z.object({
      name: z.string(),
      brand: z.object({
        /** A hash of the brand. */
        version: z.string(),
        /** False if no name is configured. The name is then gatehouse's own. */
        isNamed: z.boolean(),
        /** The images of the brand, as addresses on this server. */
        logo: z.string().nullable(),
        logoDark: z.string().nullable(),
        icon: z.string().nullable(),
        background: z.enum(['arches', 'plain']),
        links: z.object({ privacy: z.string().optional(), terms: z.string().optional(), support: z.string().optional() }),
        poweredBy: z.boolean(),
      }),
      emailPasswordEnabled: z.boolean(),
      /** True if people can sign up with a password. */
      signUpEnabled: z.boolean(),
      emailVerificationRequired: z.boolean(),
      passwordMinLength: z.number(),
      passwordMaxLength: z.number(),
      passwordResetEnabled: z.boolean(),
      passkeysEnabled: z.boolean(),
      /** Whether the page offers a passkey after a sign-in with a password. It does so only in browsers that support passkeys. */
      passkeyOffer: z.enum(['silently', 'ask', 'never']),
      mailSignInEnabled: z.boolean(),
      /** True when a first sign-in by mail creates an account. */
      mailSignUpEnabled: z.boolean(),
      /** True if the sign-in page asks for the address first. */
      addressFirst: z.boolean(),
      /** How user names are used to sign in, beside addresses. */
      userNames: z.object({
        mode: z.enum(['off', 'optional', 'required']),
        minLength: z.int(),
        maxLength: z.int(),
        changeableBy: z.enum(['user', 'operator']),
      }),
      changeEmailEnabled: z.boolean(),
      deleteUserEnabled: z.boolean(),
      /** True if a person who deletes the account has to confirm by a mailed link. */
      deleteUserVerification: z.boolean(),
      /** The providers for sign-in. */
      socialProviders: z.array(z.object({ id: z.string(), name: z.string() })),
      /** True if new people can sign up at a provider. */
      socialSignUpEnabled: z.boolean(),
      /** True if the sign-in page goes to the only provider at once. */
      socialAutoRedirect: z.boolean(),
      /** Fields, defined by the operator, that users may set. */
      userFields: z.array(z.unknown() as z.ZodType<WritableField, WritableField>),
      organizationsEnabled: z.boolean(),
      teamsEnabled: z.boolean(),
      /** Who may create organizations. Pages offer the action only to these people. */
      organizationCreation: z.enum(['everybody', 'verified', 'admins', 'nobody']),
    }),
    errors: [],
    hidden: true,
  },
})

export const healthErrors = errorsOf({
  NOT_READY: [503, 'Not ready'],
})
