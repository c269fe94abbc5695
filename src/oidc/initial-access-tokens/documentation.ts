const token = {
  ...{ id: 'h4Tz8wQm2rVbY6cJ0kXe5nLsPa9uDgFi', name: 'Build server', hint: 'k3Xw', state: 'active', types: ['web', 'spa'] },
  ...{ scopes: ['openid', 'email'], redirectHosts: ['shop.example.com'], maxClients: 5, usedClients: 1 },
  ...{ createdAt: '2026-11-23T09:00:00.000Z', expiresAt: '2026-11-30T09:00:00.000Z' },
  ...{ revokedAt: null, lastUsedAt: '2026-11-23T10:00:00.000Z' },
}

/** What the API document says besides the contract. */
export const initialAccessTokenDocumentation = {
  listInitialAccessTokens: { example: { response: { tokens: [token], next: null } } },
  createInitialAccessToken: {
    description:
      'The client sends `value` as Bearer token to `POST /oauth2/register`. What the token allows bounds its clients for ever, also when they change themselves.',
    example: {
      body: { name: 'Build server', types: ['web', 'spa'], redirectHosts: ['shop.example.com'], maxClients: 5 },
      response: {
        token: { ...token, scopes: null, usedClients: 0, lastUsedAt: null },
        value: 'k3XwB1m0pXw2eYv6KQhT8sZcJ4dRfUaL',
      },
    },
  },
  revokeInitialAccessToken: {
    example: { response: { ...token, state: 'revoked', revokedAt: '2026-11-24T09:00:00.000Z' } },
  },
}
