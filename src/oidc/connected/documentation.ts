/** What the API document says besides the contract. */
export const connectedDocumentation = {
  listConnectedApplications: {
    description:
      'Applications that ask for no consent are in the list while they hold something. For a longer list, remove what is not needed: the next ones follow.',
    example: {
      response: {
        applications: [
          {
            ...{
              clientId: 'shop',
              name: 'Shop',
              logo: null,
              uri: 'https://shop.example',
              scopes: ['openid', 'email'],
              asksForConsent: true,
            },
            organizations: [{ id: 'o7Yt2RkLq9WnXm4sVb6ZcKd0PpHf1JgE', slug: 'acme', name: 'Acme' }],
            ...{ connectedAt: '2026-11-02T09:00:00.000Z', lastUsedAt: '2026-11-23T09:00:00.000Z' },
          },
        ],
      },
    },
  },
  removeConnectedApplication: {
    description:
      'The person is asked again when they next sign in to the application. One that asks for no consent gets in again without a question.',
    example: { request: { clientId: 'shop' }, response: { status: true } },
  },
}
