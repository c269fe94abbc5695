import { newApplicationPath } from './applications/paths.ts'
import { newOrganizationPath } from './organizations/paths.ts'
import { newUserPath } from './people/paths.ts'

/**
 * Addresses that people guess, each with the address of the intended screen. No row has such an address, because ids of users and
 * organizations are longer.
 */
export const guesses: Readonly<Record<string, string>> = {
  '/admin/home': '/admin',
  '/admin/dashboard': '/admin',
  '/admin/people': '/admin/users',
  '/admin/people/new': newUserPath,
  '/admin/users/new': newUserPath,
  '/admin/applications': '/admin/clients',
  '/admin/applications/new': newApplicationPath,
  '/admin/apps': '/admin/clients',
  '/admin/apps/new': newApplicationPath,
  '/admin/organizations/new': newOrganizationPath,
  '/admin/orgs': '/admin/organizations',
  '/admin/orgs/new': newOrganizationPath,
  '/admin/customers': '/admin/billing/customers',
  '/admin/billing': '/admin/billing/customers',
  '/admin/mail': '/admin/mails',
  '/admin/audit': '/admin/events',
  '/admin/audit-log': '/admin/events',
  '/admin/logs': '/admin/events',
  '/admin/keys': '/admin/signing-keys',
  '/admin/configuration': '/admin/settings',
  '/admin/sign-in-methods': '/admin/ways-in',
  '/admin/backup': '/admin/backups',
}
