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
  texts: {
    method: 'GET',
    path: '/hosted/texts/:language',
    summary: 'The operator’s own texts of the pages in one language',
    access: 'anonymous',
    params: z.object({ language: z.enum(locales) }),
    response: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])),
    errors: [],
    hidden: true,
  },
  settings: {
    method: 'GET',
    path: '/hosted/settings',
    summary: 'The facts that the hosted pages need before they render',
    access: 'anonymous',
    response: z.object({
      name: z.string(),
      brand: z.object({
        /** A hash of the brand. */
        version: z.string(),
        /** False without a configured name: the name is gatehouse's. */
        isNamed: z.boolean(),
        /** Addresses on this server. */
        logo: z.string().nullable(),
        logoDark: z.string().nullable(),
        icon: z.string().nullable(),
        background: z.enum(['arches', 'plain']),
        links: z.object({ privacy: z.string().optional(), terms: z.string().optional(), support: z.string().optional() }),
        poweredBy: z.boolean(),
      }),
      emailPasswordEnabled: z.boolean(),
      /** Password sign-in. */
      signUpEnabled: z.boolean(),
      emailVerificationRequired: z.boolean(),
      passwordMinLength: z.number(),
      passwordMaxLength: z.number(),
      passwordResetEnabled: z.boolean(),
      passkeysEnabled: z.boolean(),
      /** The offer of a passkey after a sign-in with a password, where the browser supports it. */
      passkeyOffer: z.enum(['silently', 'ask', 'never']),
      mailSignInEnabled: z.boolean(),
      /** True when a first sign-in by mail creates an account. */
      mailSignUpEnabled: z.boolean(),
      /** The sign-in page asks for the address first. */
      addressFirst: z.boolean(),
      /** Sign-in with user names, beside addresses. */
      userNames: z.object({
        mode: z.enum(['off', 'optional', 'required']),
        minLength: z.int(),
        maxLength: z.int(),
        changeableBy: z.enum(['user', 'operator']),
      }),
      changeEmailEnabled: z.boolean(),
      deleteUserEnabled: z.boolean(),
      /** Deleting an account needs a mailed link. */
      deleteUserVerification: z.boolean(),
      /** Providers for sign-in. */
      socialProviders: z.array(z.object({ id: z.string(), name: z.string() })),
      /** Providers may bring new people. */
      socialSignUpEnabled: z.boolean(),
      /** The sign-in page forwards to the only provider at once. */
      socialAutoRedirect: z.boolean(),
      /** Extra fields that users may set. */
      userFields: z.array(z.unknown() as z.ZodType<WritableField, WritableField>),
      organizationsEnabled: z.boolean(),
      teamsEnabled: z.boolean(),
      /** Who may create organizations, so that pages do not offer a refused action. */
      organizationCreation: z.enum(['everybody', 'verified', 'admins', 'nobody']),
    }),
    errors: [],
    hidden: true,
  },
})

export const healthErrors = errorsOf({
  NOT_READY: [503, 'Not ready'],
})
