/** What the API document says besides the contract. */
export const providerAdministrationDocumentation = {
  adminProviderUse: {
    description: 'Bounded, so that it costs the same however many people there are: more than 1000 accounts are not counted on.',
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
      'Makes the calls of a sign-in without a person: reads the discovery document and the keys, sends an authorization request as a browser ' +
      'would, and sends a made-up code to the token endpoint, which tells by its refusal whether it knows the client. Where a sign-in stops at ' +
      'the discovery document, the test does too: the later steps are `skipped`, and the secret is not sent. Each call is bounded by ' +
      '`outbound.timeoutMs` and `outbound.maxBytes`. Nothing is changed at the provider.',
    example: {
      response: {
        ...{ provider: 'acme', testedAt: '2026-11-22T11:14:29.895Z', hasPassed: false },
        steps: [
          {
            ...{ step: 'token', outcome: 'failed', milliseconds: 84 },
            message: 'It refuses the client: https://id.acme.example/token answered 401 invalid_client',
            remedy:
              'Compare social.acme.clientId and social.acme.clientSecret with what the provider shows; a secret may have ended',
          },
        ],
      },
    },
  },
  adminListProviders: {
    description:
      'In the order of the configuration. `configured` names the keys of `social.<id>` that are set; what is not among them is built in. ' +
      '`accounts` is bounded: more than 1000 are not counted on. No provider is asked: the addresses of an OpenID provider that are found by discovery are null.',
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
      },
    },
  },
}
