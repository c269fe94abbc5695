/** What the API document says besides the contract. */
export const seatsDocumentation = {
  seats: {
    description:
      'An organization without a customer has the free seats of `billing.freeSeats` and is not listed. With `state` a page may have fewer rows ' +
      'than `limit`, also none, and a `next`.',
    example: {
      response: {
        organizations: [
          {
            ...{ organizationId: '0198c9d2-5f0a-7c41-9d3e-2b7f1a6c8e04', name: 'Acme', slug: 'acme' },
            ...{ seats: 8, members: 7, invitations: 1, state: 'full', customerIds: ['cus_8f2k'] },
          },
        ],
        next: null,
      },
    },
  },
}
