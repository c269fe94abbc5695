import { z } from 'zod'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

/** An application that has access to a person's account, as the person sees it. */
export const ConnectedApplication = z
  .object({
    clientId: z.string(),
    name: z.string(),
    /** The URL of the logo on this server; null if the application has no logo. */
    logo: z.string().nullable(),
    /** The web page of the application; null if there is none. */
    uri: z.string().nullable(),
    /** The URL at which the application opens and starts a sign-in of the person; null if the application has none. */
    openUri: z.string().nullable(),
    /** The scopes to which the person has consented. For an application that asks for no consent, they are the scopes of its codes and tokens. */
    scopes: z.array(z.string()),
    /** The APIs that the application calls for the person. The scopes of each API are given by their descriptions. */
    apis: z.array(z.object({ identifier: z.string(), name: z.string(), scopes: z.array(z.string()) })),
    /** The person's organizations for which the application has codes or tokens now. */
    organizations: z.array(z.object({ id: z.string(), slug: z.string(), name: z.string() })),
    /**
     * The applications whose tokens this application exchanged in order to act for the person (RFC 8693). The list is empty if the person
     * signed in to this application itself.
     */
    actsThrough: z.array(z.object({ clientId: z.string(), name: z.string() })),
    /** False for an application of the operator that asks for no consent. */
    asksForConsent: z.boolean(),
    connectedAt: instant,
    /** The time at which the application last got a token for the person, at most a day late; null if it is unknown. */
    lastUsedAt: instant.nullable(),
  })
  .meta({ id: 'ConnectedApplication' })

export const connectedContract = contract('Applications', {
  listConnectedApplications: {
    method: 'GET',
    path: '/connected-applications',
    summary: 'List the applications that have access to the account of the signed-in user, last used first, at most 200',
    access: { permission: 'consents:read' },
    response: z.object({ applications: z.array(ConnectedApplication) }),
    errors: [],
  },
  removeConnectedApplication: {
    method: 'POST',
    path: '/connected-applications/remove',
    summary: 'End the access of an application at once: its consents, codes and tokens',
    access: { permission: 'consents:update' },
    body: z.object({ clientId: plainText(255, 1) }),
    response: z.object({ status: z.boolean() }),
    errors: ['CONSENT_NOT_FOUND'],
  },
})

/** Descriptions and examples for the API document. */
export const connectedDocumentation = {
  listConnectedApplications: {
    description:
      'Applications that ask for no consent are in the list while they have codes or tokens. If the list is longer than 200, remove what is not needed and the next applications follow.',
    example: {
      response: {
        applications: [
          {
            ...{
              clientId: 'shop',
              name: 'Shop',
              logo: null,
              uri: 'https://shop.example',
              openUri: 'https://shop.example/login?iss=https%3A%2F%2Fid.example.com',
              scopes: ['openid', 'email'],
              asksForConsent: true,
            },
            organizations: [{ id: 'o7Yt2RkLq9WnXm4sVb6ZcKd0PpHf1JgE', slug: 'acme', name: 'Acme' }],
            ...{ apis: [], actsThrough: [] },
            ...{ connectedAt: '2026-11-02T09:00:00.000Z', lastUsedAt: '2026-11-23T09:00:00.000Z' },
          },
        ],
      },
    },
  },
  removeConnectedApplication: {
    description:
      'The person is asked again at the next sign-in to the application. An application that asks for no consent gets access again without a question.',
    example: { request: { clientId: 'shop' }, response: { status: true } },
  },
}
