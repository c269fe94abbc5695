import { z } from 'zod'
import { plainText } from '../core/wire.ts'

/** Words an organization may not have as its slug: they mean something in addresses, or pretend to be us. */
export const reservedSlugs: readonly string[] = [
  ...['account', 'admin', 'api', 'assets', 'auth', 'check-email', 'consent', 'console', 'device', 'docs', 'error', 'gatehouse'],
  ...[
    'health',
    'hosted',
    'interaction',
    'invitation',
    'jwks',
    'livez',
    'login',
    'logout',
    'me',
    'metrics',
    'new',
    'null',
    'oauth2',
  ],
  ...['ok', 'openapi', 'organization', 'organizations', 'readyz', 'root', 'security', 'settings', 'setup', 'sign-in', 'sign-up'],
  ...['static', 'support', 'system', 'undefined', 'user', 'users', 'webhooks', 'well-known', 'www'],
]

/** Lower-cased first, so that two slugs never differ in case alone. */
export const Slug = z
  .string()
  .max(256)
  .toLowerCase()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'letters, digits, - and _, beginning with a letter or digit, at most 64 characters')
  .refine((slug) => !reservedSlugs.includes(slug), 'this word is reserved')

export const CreateOrganization = z.object({ name: plainText(200, 1), slug: Slug })
