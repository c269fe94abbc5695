const consent = {
  ...{ id: 'cV8xq2WnLm4sRt6YbKd0ZpHf1JgUe3Ai', userId: 'u7Yt2RkLq9WnXm4sVb6ZcKd0PpHf1JgE', clientId: 'shop' },
  ...{ clientName: 'Shop', scopes: ['openid', 'email'] },
  ...{ createdAt: '2026-11-23T09:00:00.000Z', updatedAt: '2026-11-23T09:00:00.000Z' },
}

/** What the API document says besides the contract. */
export const grantDocumentation = {
  listGrants: {
    description: 'Applications that ask for no consent (`skipConsent`) are not in this list: they have tokens without one.',
    example: { response: { grants: [consent], next: null } },
  },
  endGrant: {
    description: 'The person is asked again when they next sign in to the application.',
    example: { response: { tokens: 2 } },
  },
  listUserConsents: { example: { response: { consents: [consent], next: null } } },
  endUserConsent: { example: { response: { tokens: 2 } } },
}
