/** An organization in wire form, for examples in the API document. */
const exampleOrganization = {
  id: '0198c9d5-7e60-7b15-a3d8-4f1c6e0b9a27',
  name: 'Analytical Engines',
  slug: 'engines',
  logo: null,
  metadata: null,
  createdAt: '2026-03-02T09:20:00.000Z',
  requiresSecondFactor: false,
}

/** Descriptions and examples of the calls for the API document. They stand in a module of their own, so that pages do not load them. */
export const organizationDocumentation = {
  createOrganization: {
    description: 'The new organization becomes the active one of the session, unless `keepCurrentActiveOrganization` is true.',
    example: {
      body: { name: 'Analytical Engines', slug: 'engines' },
      response: {
        ...exampleOrganization,
        members: [
          {
            id: '0198c9d5-7e61-7d02-b1c4-90a2f3e5d718',
            organizationId: exampleOrganization.id,
            userId: '0198c9d2-5f0a-7c41-9d3e-2b7f1a6c8e04',
            role: 'owner',
            teamId: null,
            createdAt: exampleOrganization.createdAt,
          },
        ],
      },
    },
  },
  listOrganizations: {
    example: { response: [{ ...exampleOrganization, role: 'owner' }] },
  },
  setActiveOrganization: {
    description:
      'Name the organization by `organizationId` or `organizationSlug`. To act for another organization in a single request, use the header `Gatehouse-Organization`.',
    example: { body: { organizationSlug: 'engines' } },
  },
}
