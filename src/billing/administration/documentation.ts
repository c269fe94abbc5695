const link = {
  ...{ customerId: 'cus_8f2k', userId: '0198c9d2-5f0a-7c41-9d3e-2b7f1a6c8e04', organizationId: null },
  ...{ linkedBy: 'operator', linkedAt: '2026-11-23T09:00:00.000Z' },
}

/** What the API document says besides the contract. */
export const billingOperationsDocumentation = {
  customerLink: { example: { response: { ...link, linkedBy: 'external_id' } } },
  linkCustomer: {
    description: 'What `gatehouse link-customer` does. Give `userId` or `organizationId`.',
    example: { body: { userId: link.userId }, response: link },
  },
  unlinkCustomer: {
    description:
      'The link that is there then is answered: the customer belongs to whom its external id names, else to the user who has verified its ' +
      'address, else to nobody. A link that no operator made stays as it is.',
    example: { response: { ...link, userId: null, linkedBy: null, linkedAt: null } },
  },
  replayDelivery: {
    description: 'What `gatehouse replay-delivery` does. An event that is still not understood is answered with its issues.',
    example: { response: { id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', effect: 'applied' } },
  },
  replayDeliveries: {
    description: 'Each is a change of its own: one that is refused does not stop the others.',
    example: {
      body: { ids: ['4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', '7hQmT0c2WvKZ1sXy8dNfR4bLgEoUjPaI'] },
      response: {
        deliveries: [
          { id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', effect: 'applied', error: null },
          {
            ...{ id: '7hQmT0c2WvKZ1sXy8dNfR4bLgEoUjPaI', effect: null },
            error: { code: 'UNKNOWN_EVENT_TYPE', message: 'Unknown event type subscription.reborn' },
          },
        ],
      },
    },
  },
  dismissDelivery: {
    description: 'What `gatehouse dismiss-delivery` does. It can be replayed until it is deleted.',
    example: { response: { id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', dismissedAt: '2026-11-23T09:00:00.000Z' } },
  },
  webhookEndpoints: {
    description: 'How many secrets an endpoint has is said, none is shown.',
    example: {
      response: {
        endpoints: [
          {
            ...{ name: 'polar', url: 'https://auth.example.com/webhooks/polar', secrets: 1, isConfigured: true },
            ...{ createdAt: null, updatedAt: null },
          },
        ],
      },
    },
  },
}
