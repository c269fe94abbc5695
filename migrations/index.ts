import type { Knex } from 'knex'
import * as users from './202611220100_users.ts'
import * as organizations from './202611220105_organizations.ts'
import * as sessions from './202611220110_sessions.ts'
import * as accounts from './202611220115_accounts.ts'
import * as throttling from './202611220120_throttling.ts'
import * as tasks from './202611220122_tasks.ts'
import * as mail from './202611220125_mail.ts'
import * as oidc from './202611220130_oidc.ts'
import * as secrets from './202611220135_secrets.ts'
import * as billingDeliveries from './202611220140_billing_deliveries.ts'
import * as billingState from './202611220145_billing_state.ts'
import * as billingLinks from './202611220150_billing_links.ts'
import * as events from './202611220155_events.ts'
import * as instancePermissions from './202611230100_instance_permissions.ts'
import * as apiKeys from './202611230110_api_keys.ts'
import * as bansAndImpersonation from './202611230120_bans_and_impersonation.ts'
import * as searchAndLists from './202611230130_search_and_lists.ts'
import * as clientSecrets from './202611230140_client_secrets.ts'
import * as eventFilters from './202611230150_event_filters.ts'
import * as backups from './202611230160_backups.ts'
import * as taskDeadIndex from './202611230170_task_dead_index.ts'
import * as signInFailures from './202611230180_sign_in_failures.ts'
import * as appliedObjects from './202611230190_applied_objects.ts'
import * as operationLists from './202611230200_operation_lists.ts'
import * as clientFilters from './202611230300_client_filters.ts'
import * as billingFilters from './202611230310_billing_filters.ts'
import * as announcedLocks from './202611230340_announced_locks.ts'
import * as eventReason from './202611230345_event_reason.ts'
import * as secondFactors from './202611230400_second_factors.ts'
import * as authenticatorApps from './202611230410_authenticator_apps.ts'
import * as passkeys from './202611230420_passkeys.ts'
import * as rememberedBrowsers from './202611230430_remembered_browsers.ts'
import * as mailSignIns from './202611230431_mail_sign_ins.ts'
import * as mailCodes from './202611230432_mail_codes.ts'
import * as usedProofOfWork from './202611230440_used_proof_of_work.ts'
import * as organizationsSecondFactor from './202611230450_organizations_second_factor.ts'
import * as clientRequireAcr from './202611230455_client_require_acr.ts'
import * as userNames from './202611230500_user_names.ts'
import * as requiredSecondFactors from './202611230510_required_second_factors.ts'
import * as secondFactorRecovery from './202611230520_second_factor_recovery.ts'
import * as eventReasonIndex from './202611230530_event_reason_index.ts'
import * as images from './202611230550_images.ts'
import * as consentLastUsed from './202611230560_consent_last_used.ts'
import * as clientLogo from './202611230600_client_logo.ts'
import * as imageUsedAt from './202611230601_image_used_at.ts'
import * as userTimeZone from './202611230620_user_time_zone.ts'
import * as statistics from './202611230700_statistics.ts'
import * as invitationLists from './202611230800_invitation_lists.ts'
import * as testSignIns from './202611230810_test_sign_ins.ts'
import * as eventExports from './202611231000_event_exports.ts'
import * as checkIndexes from './202611240000_check_indexes.ts'
import * as factorSessions from './202612100900_factor_sessions.ts'
import * as apiKeyAuthentication from './202612100901_api_key_authentication.ts'
import * as consentNotBefore from './202612100902_consent_not_before.ts'
import * as clientWithoutPkce from './202612101000_client_without_pkce.ts'
import * as clientUnknownScopes from './202612101001_client_unknown_scopes.ts'
import * as signInFailureClient from './202612101002_sign_in_failure_client.ts'
import * as clientUnderstandsAct from './202612111001_client_understands_act.ts'
import * as textByCodePoints from './202612121000_text_by_code_points.ts'
import * as daemonConfigurations from './202612131000_daemon_configurations.ts'
import * as endedInvitations from './202612141000_ended_invitations.ts'
import * as clientRegistration from './202612161000_client_registration.ts'
import * as initialAccessTokens from './202612161001_initial_access_tokens.ts'
import * as authenticatorReplacement from './202612171000_authenticator_replacement.ts'
import * as apiKeySecretMaker from './202612181000_api_key_secret_maker.ts'
import * as clientMetadataDocuments from './202612201000_client_metadata_documents.ts'
import * as storedSettings from './202612211000_stored_settings.ts'
import * as appliedSettings from './202612211001_applied_settings.ts'
import * as settingsProblems from './202612211002_settings_problems.ts'
import * as dismissedSetupSteps from './202612211100_dismissed_setup_steps.ts'
import * as customerPayments from './202612211200_customer_payments.ts'
import * as subjectKey from './202612211400_subject_key.ts'
import * as logoutNotice from './202612211401_logout_notice.ts'
import * as resourceServers from './202612211500_resource_servers.ts'
import * as appliedApis from './202612211501_applied_apis.ts'
import * as impersonationByExchange from './202612211502_impersonation_by_exchange.ts'
import * as ps256 from './202612211600_ps256.ts'
import * as deviceCodes from './202612211700_device_codes.ts'
import * as consentOrganizations from './202612211701_consent_organizations.ts'
import * as sessionClients from './202612223001_session_clients.ts'
import * as logoutProblems from './202612223002_logout_problems.ts'
import * as apiPs256 from './202612223003_api_ps256.ts'
import * as searchTexts from './202612224000_search_texts.ts'
import * as searchTextsOfNames from './202612224001_search_texts_of_names.ts'
import * as searchTextsOfCustomers from './202612224002_search_texts_of_customers.ts'
import * as halfHours from './202612226001_half_hours.ts'
import * as searchNewestFirst from './202612227001_search_newest_first.ts'

/**
 * One timeline for both databases, in the order of the foreign keys. A listed migration is never edited. To change the schema, add a file
 * with a later number, with `up` and `down`, and its line at the end of this list (CONTRIBUTING, "Add something").
 */
export const migrations: Readonly<Record<string, Knex.Migration>> = {
  '202611220100_users': users,
  '202611220105_organizations': organizations,
  '202611220110_sessions': sessions,
  '202611220115_accounts': accounts,
  '202611220120_throttling': throttling,
  '202611220122_tasks': tasks,
  '202611220125_mail': mail,
  '202611220130_oidc': oidc,
  '202611220135_secrets': secrets,
  '202611220140_billing_deliveries': billingDeliveries,
  '202611220145_billing_state': billingState,
  '202611220150_billing_links': billingLinks,
  '202611220155_events': events,
  '202611230100_instance_permissions': instancePermissions,
  '202611230110_api_keys': apiKeys,
  '202611230120_bans_and_impersonation': bansAndImpersonation,
  '202611230130_search_and_lists': searchAndLists,
  '202611230140_client_secrets': clientSecrets,
  '202611230150_event_filters': eventFilters,
  '202611230160_backups': backups,
  '202611230170_task_dead_index': taskDeadIndex,
  '202611230180_sign_in_failures': signInFailures,
  '202611230190_applied_objects': appliedObjects,
  '202611230200_operation_lists': operationLists,
  '202611230300_client_filters': clientFilters,
  '202611230310_billing_filters': billingFilters,
  '202611230340_announced_locks': announcedLocks,
  '202611230345_event_reason': eventReason,
  '202611230400_second_factors': secondFactors,
  '202611230410_authenticator_apps': authenticatorApps,
  '202611230420_passkeys': passkeys,
  '202611230430_remembered_browsers': rememberedBrowsers,
  '202611230431_mail_sign_ins': mailSignIns,
  '202611230432_mail_codes': mailCodes,
  '202611230440_used_proof_of_work': usedProofOfWork,
  '202611230450_organizations_second_factor': organizationsSecondFactor,
  '202611230455_client_require_acr': clientRequireAcr,
  '202611230500_user_names': userNames,
  '202611230510_required_second_factors': requiredSecondFactors,
  '202611230520_second_factor_recovery': secondFactorRecovery,
  '202611230530_event_reason_index': eventReasonIndex,
  '202611230550_images': images,
  '202611230560_consent_last_used': consentLastUsed,
  '202611230600_client_logo': clientLogo,
  '202611230601_image_used_at': imageUsedAt,
  '202611230620_user_time_zone': userTimeZone,
  '202611230700_statistics': statistics,
  '202611230800_invitation_lists': invitationLists,
  '202611230810_test_sign_ins': testSignIns,
  '202611231000_event_exports': eventExports,
  '202611240000_check_indexes': checkIndexes,
  '202612100900_factor_sessions': factorSessions,
  '202612100901_api_key_authentication': apiKeyAuthentication,
  '202612100902_consent_not_before': consentNotBefore,
  '202612101000_client_without_pkce': clientWithoutPkce,
  '202612101001_client_unknown_scopes': clientUnknownScopes,
  '202612101002_sign_in_failure_client': signInFailureClient,
  '202612111001_client_understands_act': clientUnderstandsAct,
  '202612121000_text_by_code_points': textByCodePoints,
  '202612131000_daemon_configurations': daemonConfigurations,
  '202612141000_ended_invitations': endedInvitations,
  '202612161000_client_registration': clientRegistration,
  '202612161001_initial_access_tokens': initialAccessTokens,
  '202612171000_authenticator_replacement': authenticatorReplacement,
  '202612181000_api_key_secret_maker': apiKeySecretMaker,
  '202612201000_client_metadata_documents': clientMetadataDocuments,
  '202612211000_stored_settings': storedSettings,
  '202612211001_applied_settings': appliedSettings,
  '202612211002_settings_problems': settingsProblems,
  '202612211100_dismissed_setup_steps': dismissedSetupSteps,
  '202612211200_customer_payments': customerPayments,
  '202612211400_subject_key': subjectKey,
  '202612211401_logout_notice': logoutNotice,
  '202612211500_resource_servers': resourceServers,
  '202612211501_applied_apis': appliedApis,
  '202612211502_impersonation_by_exchange': impersonationByExchange,
  '202612211600_ps256': ps256,
  '202612211700_device_codes': deviceCodes,
  '202612211701_consent_organizations': consentOrganizations,
  '202612223001_session_clients': sessionClients,
  '202612223002_logout_problems': logoutProblems,
  '202612223003_api_ps256': apiPs256,
  '202612224000_search_texts': searchTexts,
  '202612224001_search_texts_of_names': searchTextsOfNames,
  '202612224002_search_texts_of_customers': searchTextsOfCustomers,
  '202612226001_half_hours': halfHours,
  '202612227001_search_newest_first': searchNewestFirst,
}
