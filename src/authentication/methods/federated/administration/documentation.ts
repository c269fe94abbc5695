/** What the API document says besides the contract. */
export const providerAdministrationDocumentation = {
  adminListProviders: {
    description:
      'In the order of the configuration. `configured` names the keys of `social.<id>` that are set; what is not among them is built in. ' +
      'No provider is asked: the addresses of an OpenID provider that are found by discovery are null.',
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
          },
        ],
      },
    },
  },
}
