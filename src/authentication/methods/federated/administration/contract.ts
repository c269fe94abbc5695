import { z } from 'zod'
import { contract } from '../../../../http/contract.ts'

/** A provider that is switched on, as it is used; never a secret. */
export const EffectiveProvider = z
  .object({
    id: z.string(),
    /** On the button. */
    name: z.string(),
    /** `built-in`; `openid`: another one, whose addresses are discovered; `oauth2`: another one, whose addresses are configured. */
    type: z.enum(['built-in', 'openid', 'oauth2']),
    clientId: z.string(),
    hasClientSecret: z.boolean(),
    /** Where it sends people back to; registered there. */
    redirectUri: z.string(),
    scopes: z.array(z.string()),
    /** Null where there is none, or where it is discovered. */
    addresses: z.object({
      issuer: z.string().nullable(),
      discovery: z.string().nullable(),
      authorization: z.string().nullable(),
      token: z.string().nullable(),
      userinfo: z.string().nullable(),
      jwks: z.string().nullable(),
    }),
    pkce: z.boolean(),
    /** An address that it calls verified counts as proven. */
    trustsEmail: z.boolean(),
    signUpEnabled: z.boolean(),
    implicitSignUp: z.boolean(),
    /** Keys of `social.<id>` that the configuration sets; everything else is built in. */
    configured: z.array(z.string()),
  })
  .meta({ id: 'EffectiveProvider' })

export const providerAdministrationContract = contract('Administration of applications', {
  adminListProviders: {
    method: 'GET',
    path: '/admin/providers',
    summary: 'The providers that people sign in with, as they are in effect',
    access: { permission: 'providers:read' },
    response: z.object({ providers: z.array(EffectiveProvider) }),
    errors: [],
  },
})
