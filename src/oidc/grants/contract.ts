import { z } from 'zod'
import { counted, sortedPage } from '../../core/page.ts'
import { instant, Named, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

/** The consent of a user to an application. */
export const UserConsent = z.object({
  id: z.string(),
  userId: z.string(),
  user: Named,
  clientId: z.string(),
  clientName: z.string(),
  scopes: z.array(z.string()),
  /**
   * The ids of the organizations that the consent covers. Null for a consent of an earlier version, which covers all of the person's
   * organizations.
   */
  organizationIds: z.array(z.string()).nullable(),
  /** The organizations in `organizationIds` with their names; null if the consent covers all organizations. */
  organizations: z.array(Named).nullable(),
  /** The time at which the consent expires (`oidc.consentTtlDays`); null if it never expires. */
  expiresAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
})

const page = { sorts: ['updatedAt'] } as const
const all = counted(
  sortedPage('grants', UserConsent, {
    ...page,
    filter: { userId: plainText(64, 1).optional(), clientId: plainText(255, 1).optional() },
  }),
)
const ofUser = counted(sortedPage('consents', UserConsent, { ...page, filter: {} }))
const userParams = z.object({ userId: plainText(64, 1) })
/** The number of deleted codes and tokens. */
const Ended = z.object({ tokens: z.int() })

export const grantContract = contract('Administration of consents', {
  listGrants: {
    method: 'GET',
    path: '/admin/grants',
    summary: 'List the consents of users to applications, newest first',
    access: { permission: 'grants:read' },
    query: all.query,
    response: all.response,
    errors: [],
  },
  endGrant: {
    method: 'DELETE',
    path: '/admin/grants/:grantId',
    summary: 'End a consent, with the codes and tokens that the application has of the person',
    access: { permission: 'grants:delete' },
    params: z.object({ grantId: plainText(64, 1) }),
    response: Ended,
    errors: ['CONSENT_NOT_FOUND'],
  },
  listUserConsents: {
    method: 'GET',
    path: '/admin/users/:userId/consents',
    summary: 'List the consents of a user, newest first',
    access: { permission: 'grants:read' },
    params: userParams,
    query: ofUser.query,
    response: ofUser.response,
    errors: ['401 USER_NOT_FOUND'],
  },
  endUserConsent: {
    method: 'DELETE',
    path: '/admin/users/:userId/consents/:clientId',
    summary: 'End the access of an application to a person, even if the application asks for no consent',
    access: { permission: 'grants:delete' },
    params: z.object({ ...userParams.shape, clientId: plainText(255, 1) }),
    response: Ended,
    errors: ['401 USER_NOT_FOUND', 'CONSENT_NOT_FOUND'],
  },
  endUserConsentForOrganization: {
    method: 'DELETE',
    path: '/admin/users/:userId/consents/:clientId/organizations/:organizationId',
    summary: 'End the access of an application to a user for one organization; access for other organizations stays',
    access: { permission: 'grants:delete' },
    params: z.object({ ...userParams.shape, clientId: plainText(255, 1), organizationId: plainText(64, 1) }),
    response: Ended,
    errors: ['401 USER_NOT_FOUND', 'CONSENT_NOT_FOUND'],
  },
})

const consent = {
  ...{ id: 'cV8xq2WnLm4sRt6YbKd0ZpHf1JgUe3Ai', userId: 'u7Yt2RkLq9WnXm4sVb6ZcKd0PpHf1JgE', clientId: 'shop' },
  user: { kind: 'user', id: 'u7Yt2RkLq9WnXm4sVb6ZcKd0PpHf1JgE', name: 'Ann Example' },
  ...{ clientName: 'Shop', scopes: ['openid', 'email'], organizationIds: [], organizations: [], expiresAt: null },
  ...{ createdAt: '2026-11-23T09:00:00.000Z', updatedAt: '2026-11-23T09:00:00.000Z' },
}

/** Descriptions and examples for the API document. */
export const grantDocumentation = {
  listGrants: {
    description: 'Applications that ask for no consent (`skipConsent`) are not in this list. They have tokens without a consent.',
    example: { response: { grants: [consent], next: null, total: { count: 1, isExact: true } } },
  },
  endGrant: {
    description: 'The person is asked again at the next sign-in to the application.',
    example: { response: { tokens: 2 } },
  },
  listUserConsents: { example: { response: { consents: [consent], next: null, total: { count: 1, isExact: true } } } },
  endUserConsent: { example: { response: { tokens: 2 } } },
  endUserConsentForOrganization: {
    description:
      'Codes that were not redeemed yet end too, whatever organization they are for. The person is asked again at the next sign-in to the application for this organization.',
    example: { response: { tokens: 2 } },
  },
}
