import { newApplicationPath } from './applications/paths.ts'
import { newOrganizationPath } from './organizations/paths.ts'
import { newUserPath } from './people/paths.ts'

/**
 * Addresses that people might type by guessing, each with the address of the screen they mean. No user or organization has such an
 * address, because their ids are longer.
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
