const owner = { userId: '0198c9d2-5f0a-7c41-9d3e-2b7f1a6c8e04', organizationId: null, linkedBy: 'external_id' }

/** What the API document says besides the contract. */
export const driftDocumentation = {
  drift: {
    description:
      'Compares, for `limit` customers at a time, what tokens read with what follows from the stored events, and the owner with external id and ' +
      'verified address. The billing platform is not asked: what it never sent is not found. `gatehouse rebuild-billing` puts right what is named.',
    example: {
      response: {
        ...{
          customers: [{ customerId: 'cus_8f2k', snapshot: false, link: { is: null, should: owner } }],
          checked: 50,
          next: null,
        },
      },
    },
  },
  rejections: {
    description: 'What `gatehouse list-deliveries --refused` shows. Their content is not stored.',
    example: {
      response: {
        rejections: [
          {
            ...{ endpoint: 'polar', reason: 'NO_MATCHING_SIGNATURE_FOUND', network: '203.0.113.0/24', count: 12 },
            ...{ firstSeenAt: '2026-11-23T08:00:00.000Z', lastSeenAt: '2026-11-23T09:00:00.000Z' },
          },
        ],
      },
    },
  },
}
