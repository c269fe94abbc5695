const application = {
  ...{ clientId: 'shop', name: 'Shop', type: 'web', redirectUris: ['https://shop.example.com/callback'] },
  ...{ postLogoutRedirectUris: [], webOrigins: [], scopes: ['openid', 'email'], idTokenAlg: 'RS256', pkce: null },
  ...{ requireAcr: null, unknownScopes: null, withoutPkceAt: null },
  ...{
    skipConsent: false,
    understandsAct: false,
    disabled: false,
    permissions: [],
    ...{ icon: 'https://shop.example.com/logo.png', logo: 'https://id.example.com/images/Vt3kQ0xZ8nLw2sYcVt3kQ0xZ8nLw2sYc' },
    ...{ logoProblem: null, color: '#0b1f4d' },
    uri: 'https://shop.example.com/',
    policyUri: null,
    tosUri: null,
  },
  ...{ translations: { de: { name: 'Laden' } }, contacts: ['it@example.com'], jwks: null, softwareId: null },
  deviceFlow: false,
  ...{
    profile: null,
    userinfoAlg: null,
    dpopBoundAccessTokens: false,
    requestObjectAlg: null,
    requireSignedRequestObject: false,
  },
  ...{ organizations: [], mayAct: null },
  ...{ softwareVersion: null, defaultMaxAge: null, requireAuthTime: false, claimsIn: 'userinfo', authMethod: null },
  ...{ jwksUri: null, subjectType: 'public', sectorIdentifierUri: null },
  ...{ backchannelLogoutUri: 'https://shop.example.com/logout', backchannelLogoutSessionRequired: true },
  ...{ requirePushedAuthorizationRequests: false, initiateLoginUri: null },
  ...{ registeredBy: 'person', registrantId: 'Yp3nqTz0', review: null },
  ...{ createdAt: '2026-11-23T09:00:00.000Z', updatedAt: '2026-11-23T09:00:00.000Z' },
}
const secret = {
  ...{ id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', hint: 'q7Zr', state: 'active', createdAt: '2026-11-23T10:00:00.000Z' },
  ...{ expiresAt: null, lastUsedAt: null },
}

/** Descriptions and examples for the API document. */
export const applicationAdminDocumentation = {
  listApplications: {
    description:
      '`search` finds names that have all of its words, also inside of words, without accents and case, in the order of the names; `sort=name&order=desc` reverses it. A page of which a filter takes few may be short, or empty, and still have a `next`.',
    example: {
      response: {
        clients: [{ ...application, registrant: { kind: 'user', id: 'Yp3nqTz0', name: 'Ann Example' } }],
        ...{ next: null, total: { count: 1, isExact: true } },
      },
    },
  },
  previewClaims: {
    description:
      'The same as `gatehouse explain --user --client`: without a sign-in, and nothing is written. Needs `users:read`, too, and `all-organizations:read` with `organization`; without `customers:read` the purchases of the person are left out.',
    example: {
      response: {
        ...{
          user: { id: 'Yp3nqTz0', name: 'Ann Example', email: 'ann@example.com' },
          organization: null,
          scopes: ['openid', 'email'],
        },
        claims: [
          {
            ...{ name: 'email', value: 'ann@example.com', scope: 'email', feature: 'users' },
            origins: [{ rule: 'user.email', row: 'user Yp3nqTz0' }],
          },
        ],
        isPartial: false,
      },
    },
  },
  createApplication: {
    description:
      'The same as `gatehouse register-client`. The logo is fetched from `icon` once; where that fails, the application is registered all the same, and `logoProblem` says why. `clientId` and `clientSecret` are for an application that has them already; such a secret must have at least 32 random characters.',
    example: {
      body: { name: 'Shop', type: 'web', redirectUris: ['https://shop.example.com/callback'], clientId: 'shop' },
      response: { client: application, clientSecret: 'q7ZrB1m0pXw2eYv6KQhT8sZcJ4dRfUaL' },
    },
  },
  updateApplication: {
    description:
      'The caller needs the permissions that the application has and gets. Fields that are absent stay; lists are replaced as a whole. `review` is for applications that registered themselves: `approved` ends the warning of people, and that an unused one is deleted; `restricted` leaves it `openid`, `profile` and `email`, and no way to change itself. `disabled: true` has every node refuse its sign-ins and tokens within about a second; `false` brings them back. The type cannot be changed, and neither can an algorithm of ID tokens become HS256.',
    example: { body: { disabled: true }, response: { ...application, disabled: true } },
  },
  setLogo: {
    description:
      'The body is the file: PNG, JPEG, WebP, GIF, AVIF or an SVG that only draws, up to 5 MB and 25 million pixels, whatever its name and type. What is ' +
      'kept is a PNG with 512 pixels on each side, transparent around the logo; `logo` is its address, and `icon` becomes null.',
    example: { response: { ...application, icon: null } },
  },
  removeLogo: { example: { response: { ...application, icon: null, logo: null } } },
  rotateSecret: {
    description:
      'At most two secrets count at the same time. `overlapSeconds: 0` ends all others at once. An ID token of HS256 is signed with the secret that its token request came with.',
    example: {
      body: { overlapSeconds: 604800 },
      response: {
        ...{ clientId: 'shop', secretId: secret.id, clientSecret: 'q7ZrB1m0pXw2eYv6KQhT8sZcJ4dRfUaL' },
        secrets: [secret, { ...secret, id: 'shop-before', hint: null, state: 'ending', expiresAt: '2026-11-30T10:00:00.000Z' }],
      },
    },
  },
}
