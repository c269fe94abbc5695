import { z } from 'zod'
import { instant, plainText } from '../../../../core/wire.ts'
import { contract } from '../../../../http/contract.ts'

/** An enabled identity provider with the settings that apply to it, without secrets. */
export const EffectiveProvider = z
  .object({
    id: z.string(),
    /** The name of the provider on its button. */
    name: z.string(),
    /**
     * `built-in`: gatehouse knows the provider. `openid`: another provider, whose endpoints are discovered. `oauth2`: another provider,
     * whose endpoints are configured.
     */
    type: z.enum(['built-in', 'openid', 'oauth2']),
    clientId: z.string(),
    hasClientSecret: z.boolean(),
    /** The callback URL that has to be registered at the provider. */
    redirectUri: z.string(),
    scopes: z.array(z.string()),
    /** The URLs of the provider's endpoints. A URL is null if the endpoint does not exist, or if it is discovered. */
    addresses: z.object({
      issuer: z.string().nullable(),
      discovery: z.string().nullable(),
      authorization: z.string().nullable(),
      token: z.string().nullable(),
      userinfo: z.string().nullable(),
      jwks: z.string().nullable(),
    }),
    pkce: z.boolean(),
    /** True if a mail address that the provider calls verified counts as verified here. */
    trustsEmail: z.boolean(),
    signUpEnabled: z.boolean(),
    implicitSignUp: z.boolean(),
    /** The names of the fields that the configuration sets under `social.<id>`. All other fields have built-in values. */
    configured: z.array(z.string()),
  })
  .meta({ id: 'EffectiveProvider' })

const stepNames = ['callback', 'discovery', 'issuer', 'keys', 'authorization', 'token'] as const

/** The result of a provider test, step by step. */
export const ProviderTest = z
  .object({
    provider: z.string(),
    testedAt: instant,
    /** True if no step of the test has failed. */
    hasPassed: z.boolean(),
    steps: z.array(
      z.object({
        step: z.enum(stepNames),
        /** `doubtful`: the answer shows neither success nor failure. `skipped`: a real sign-in would have failed before this step. */
        outcome: z.enum(['passed', 'doubtful', 'failed', 'skipped']),
        message: z.string(),
        remedy: z.string().nullable(),
        milliseconds: z.int(),
      }),
    ),
  })
  .meta({ id: 'ProviderTest' })

/** The number of accounts that sign in with the provider. The server stops counting at 1001. */
const accounts = z.int()

export const ListedProvider = EffectiveProvider.extend({ accounts }).meta({ id: 'ListedProvider' })

/** An identity provider that gatehouse knows, whether or not it is enabled. */
export const BuiltInProvider = z.object({
  id: z.string(),
  name: z.string(),
  /** The callback URL. It has to be registered at the provider before the provider is enabled here. */
  redirectUri: z.string(),
})

/** How a provider is used, and whether it works. */
export const ProviderUse = z
  .object({
    accounts,
    /** The time of the last sign-in with the provider; null if the newest 500 sign-ins of all people did not use the provider. */
    lastSignInAt: instant.nullable(),
    /** The last failed attempt with the provider; null if the newest 2000 failed attempts did not use the provider. */
    lastFailure: z
      .object({
        at: instant,
        reason: z.string(),
        /** The error code that the browser got. */
        code: z.string(),
        /** The error text that the provider answered; null if there was none. */
        answer: z.string().nullable(),
        requestId: z.string(),
      })
      .nullable(),
  })
  .meta({ id: 'ProviderUse' })

const params = z.object({ id: plainText(32, 1) })

export const providerAdministrationContract = contract('Administration of applications', {
  adminListProviders: {
    method: 'GET',
    path: '/admin/providers',
    summary: 'List the providers that people can sign in with, with the settings that apply',
    access: { permission: 'providers:read' },
    response: z.object({ providers: z.array(ListedProvider), builtIn: z.array(BuiltInProvider) }),
    errors: [],
  },
  adminProviderUse: {
    method: 'GET',
    path: '/admin/providers/:id/use',
    summary: 'Get the number of accounts that sign in with a provider, and its last sign-in and failure',
    access: { permission: 'providers:read' },
    params,
    response: ProviderUse,
    errors: ['PROVIDER_NOT_FOUND'],
  },
  adminTestProvider: {
    method: 'POST',
    path: '/admin/providers/:id/test',
    summary: 'Test a provider: its addresses, its keys, and whether it accepts the client',
    access: { permission: 'providers:test' },
    params,
    response: ProviderTest,
    errors: ['PROVIDER_NOT_FOUND'],
  },
})

/** Descriptions and examples for the API document. */
export const providerAdministrationDocumentation = {
  adminProviderUse: {
    description: 'The call costs the same however many people there are: counting stops after 1000 accounts.',
    example: {
      response: {
        ...{ accounts: 214, lastSignInAt: '2026-11-22T11:14:29.895Z' },
        lastFailure: {
          ...{ at: '2026-11-21T08:02:11.120Z', reason: 'provider-code', code: 'INVALID_CODE', requestId: 'r-4m8QZGbO5229' },
          answer: 'the token endpoint answered 401 invalid_client',
        },
      },
    },
  },
  adminTestProvider: {
    description:
      'Makes the calls of a sign-in without a person. It reads the discovery document and the keys, sends an authorization request as a browser would, and sends an invented code to the token endpoint, whose refusal shows whether it knows the client. If a sign-in would stop at the discovery document, the later steps are `skipped` and the secret is not sent. `outbound.timeoutMs` and `outbound.maxBytes` limit each call. Nothing is changed at the provider.',
    example: {
      response: {
        ...{ provider: 'acme', testedAt: '2026-11-22T11:14:29.895Z', hasPassed: false },
        steps: [
          {
            ...{ step: 'token', outcome: 'failed', milliseconds: 84 },
            message: 'It refuses the client: https://id.acme.example/token answered 401 invalid_client',
            remedy:
              'Compare social.acme.clientId and social.acme.clientSecret with the values at the provider; a secret may have expired',
          },
        ],
      },
    },
  },
  adminListProviders: {
    description:
      'The providers are in the order of the configuration. `configured` lists the keys of `social.<id>` that are set; all other values are built in. Counting `accounts` stops after 1000. No provider is called, so the addresses that an OpenID provider publishes by discovery are null.',
    example: {
      response: {
        providers: [
          {
            ...{ id: 'acme', name: 'Acme', type: 'openid', clientId: 'gatehouse', hasClientSecret: true },
            redirectUri: 'https://auth.example.com/callback/acme',
            scopes: ['openid', 'profile', 'email'],
            addresses: {
              ...{ issuer: 'https://id.acme.example', discovery: 'https://id.acme.example' },
              ...{ authorization: null, token: null, userinfo: null, jwks: null },
            },
            ...{ pkce: true, trustsEmail: false, signUpEnabled: true, implicitSignUp: true, configured: ['name', 'issuer'] },
            accounts: 214,
          },
        ],
        builtIn: [{ id: 'github', name: 'GitHub', redirectUri: 'https://auth.example.com/callback/github' }],
      },
    },
  },
}
