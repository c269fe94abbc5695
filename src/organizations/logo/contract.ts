import { z } from 'zod'
import { contract } from '../../http/contract.ts'
import { AdministeredOrganization, organizationTag } from '../administration/contract.ts'
import { Id, Organization, ofOrganization } from '../contract.ts'

const query = z.object(ofOrganization)
const refusals = [
  'NO_ACTIVE_ORGANIZATION',
  '400 USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION',
  'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION',
] as const

export const organizationLogoContract = contract('Organizations', {
  setOrganizationLogo: {
    method: 'PUT',
    path: '/organization/logo',
    summary: 'Upload the logo of an organization; it is encoded again and served by this server',
    access: { permission: 'organization:update' },
    encoding: 'upload',
    query,
    response: Organization,
    errors: [...refusals, 'INVALID_IMAGE'],
    limit: 'strict',
  },
  removeOrganizationLogo: {
    method: 'DELETE',
    path: '/organization/logo',
    summary: 'Remove the logo of an organization, even if another server serves it',
    access: { permission: 'organization:update' },
    query,
    response: Organization,
    errors: refusals,
  },
})

const ofAny = {
  access: { permission: 'all-organizations:update' },
  params: z.object({ id: Id }),
  response: AdministeredOrganization,
  etag: organizationTag,
  ifMatch: organizationTag,
} as const

/** The calls with which operators set the logo of any organization. */
export const logoAdministrationContract = contract('Organizations', {
  adminSetOrganizationLogo: {
    ...ofAny,
    method: 'PUT',
    path: '/admin/organizations/:id/logo',
    summary: 'Upload the logo of any organization, which replaces its former logo',
    encoding: 'upload',
    errors: ['NOT_FOUND', 'INVALID_IMAGE'],
  },
  adminRemoveOrganizationLogo: {
    ...ofAny,
    method: 'DELETE',
    path: '/admin/organizations/:id/logo',
    summary: 'Remove the logo of any organization, even if another server serves it',
    errors: ['NOT_FOUND'],
  },
})

const organization = {
  ...{ id: 'o7Yt2RkLq9WnXm4sVb6ZcKd0PpHf1JgE', name: 'Acme', slug: 'acme', metadata: null, requiresSecondFactor: false },
  ...{ logo: 'https://id.example.com/images/Vt3kQ0xZ8nLw2sYcVt3kQ0xZ8nLw2sYc', createdAt: '2026-11-23T09:00:00.000Z' },
}

/** Descriptions and examples for the API document, of the calls in this file. */
export const organizationLogoDocumentation = {
  setOrganizationLogo: {
    description:
      'The body is the file: PNG, JPEG, WebP, GIF or AVIF. It may have up to 5 MB and 25 million pixels; its name and media type do ' +
      'not matter. It is stored as a PNG with 512 pixels on each side, transparent around the logo. Its address becomes the `logo` of ' +
      'the organization; each file gets another address.',
    example: { response: organization },
  },
  removeOrganizationLogo: { example: { response: { ...organization, logo: null } } },
}
