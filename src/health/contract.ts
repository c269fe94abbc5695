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
        /** A hash of the brand. It changes whenever the brand changes. */
        version: z.string(),
        /** False if the operator has not configured a name. The name is then "gatehouse". */
        isNamed: z.boolean(),
        /** URLs of the brand's images on this server. */
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
      /** Whether pages offer a passkey after a sign-in with a password. Browsers without support for passkeys never show the offer. */
      passkeyOffer: z.enum(['silently', 'ask', 'never']),
      mailSignInEnabled: z.boolean(),
      /** True if the first sign-in by mail also creates the account. */
      mailSignUpEnabled: z.boolean(),
      /** True if the sign-in page asks for the email address first, and for the password in a second step. */
      addressFirst: z.boolean(),
      /** How people can sign in with a user name in place of their email address. */
      userNames: z.object({
        mode: z.enum(['off', 'optional', 'required']),
        minLength: z.int(),
        maxLength: z.int(),
        changeableBy: z.enum(['user', 'operator']),
      }),
      changeEmailEnabled: z.boolean(),
      deleteUserEnabled: z.boolean(),
      /** True if a person who deletes their account has to confirm it by a link in a mail. */
      deleteUserVerification: z.boolean(),
      /** The identity providers that people can sign in with. */
      socialProviders: z.array(z.object({ id: z.string(), name: z.string() })),
      /** True if new people can sign up with an identity provider. */
      socialSignUpEnabled: z.boolean(),
      /** True if the sign-in page redirects to the only identity provider immediately. */
      socialAutoRedirect: z.boolean(),
      /** The configured fields that users may set themselves. */
      userFields: z.array(z.unknown() as z.ZodType<WritableField, WritableField>),
      organizationsEnabled: z.boolean(),
      teamsEnabled: z.boolean(),
      /** Who may create organizations. Pages show the button only to these people. */
      organizationCreation: z.enum(['everybody', 'verified', 'admins', 'nobody']),
    }),
    errors: [],
    hidden: true,
  },
})

export const healthErrors = errorsOf({
  NOT_READY: [503, 'Not ready'],
})
