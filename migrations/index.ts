import type { Knex } from 'knex'
import * as users from './202611210100_users.ts'
import * as rateLimit from './202611210200_rate_limit.ts'
import * as organization from './202611210250_organization.ts'
import * as oidc from './202611210300_oidc.ts'
import * as mail from './202611210400_mail.ts'
import * as accountProtection from './202611211100_account_protection.ts'
import * as social from './202611211300_social.ts'
import * as everVerified from './202611211310_ever_verified.ts'
import * as mailLanguage from './202611211400_mail_language.ts'
import * as askedBy from './202611211500_asked_by.ts'
import * as organizations from './202611211600_organizations.ts'
import * as billingIntake from './202611212000_billing_intake.ts'
import * as billingProjection from './202611212010_billing_projection.ts'
import * as billingLinks from './202611212020_billing_links.ts'
import * as billingReading from './202611212030_billing_reading.ts'
import * as verificationUser from './202611220200_verification_user.ts'
import * as masterSecret from './202611220300_master_secret.ts'
import * as addressRecovery from './202611220500_address_recovery.ts'
import * as billingDismissed from './202611220600_billing_dismissed.ts'
import * as billingRenewals from './202611220610_billing_renewals.ts'
import * as clientPkce from './202611220700_client_pkce.ts'
import * as refreshSiblings from './202611220710_refresh_siblings.ts'
import * as clientWebOrigins from './202611220800_client_web_origins.ts'
import * as billingMeterAsOf from './202611220900_billing_meter_as_of.ts'
import * as billingUnreadTables from './202611220910_billing_unread_tables.ts'
import * as billingOrderIds from './202611220920_billing_order_ids.ts'
import * as userFields from './202611221000_user_fields.ts'
import * as billingLinkAddresses from './202611221320_billing_link_addresses.ts'

/** One timeline for both databases; names only grow and never change after a release. */
export const migrations: Readonly<Record<string, Knex.Migration>> = {
  '202611210100_users': users,
  '202611210200_rate_limit': rateLimit,
  '202611210250_organization': organization,
  '202611210300_oidc': oidc,
  '202611210400_mail': mail,
  '202611211100_account_protection': accountProtection,
  '202611211300_social': social,
  '202611211310_ever_verified': everVerified,
  '202611211400_mail_language': mailLanguage,
  '202611211500_asked_by': askedBy,
  '202611211600_organizations': organizations,
  '202611212000_billing_intake': billingIntake,
  '202611212010_billing_projection': billingProjection,
  '202611212020_billing_links': billingLinks,
  '202611212030_billing_reading': billingReading,
  '202611220200_verification_user': verificationUser,
  '202611220300_master_secret': masterSecret,
  '202611220500_address_recovery': addressRecovery,
  '202611220600_billing_dismissed': billingDismissed,
  '202611220610_billing_renewals': billingRenewals,
  '202611220700_client_pkce': clientPkce,
  '202611220710_refresh_siblings': refreshSiblings,
  '202611220800_client_web_origins': clientWebOrigins,
  '202611220900_billing_meter_as_of': billingMeterAsOf,
  '202611220910_billing_unread_tables': billingUnreadTables,
  '202611220920_billing_order_ids': billingOrderIds,
  '202611221000_user_fields': userFields,
  '202611221320_billing_link_addresses': billingLinkAddresses,
}
