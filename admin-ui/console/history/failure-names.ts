import type { FailureMethod, StoredReason } from '../../../src/authentication/failures/contract.ts'
import type { PlainKey } from '../../shared/i18n.ts'
import { useI18n } from '../../shared/text.tsx'
import { useReasonName } from '../shared/reasons.ts'

/**
 * The sign-in method under which the filter lists each reason for a failure. It is the method that fails most often for this reason. The
 * compiler reports a missing reason.
 */
const wayOf: Readonly<Record<StoredReason, FailureMethod>> = {
  'wrong-password': 'password',
  'unknown-address': 'password',
  'unknown-name': 'password',
  'no-password': 'password',
  'password-disabled': 'password',
  waiting: 'password',
  locked: 'password',
  'email-not-verified': 'password',
  banned: 'password',
  'passkey-challenge': 'passkey',
  'passkey-page': 'passkey',
  'passkey-unknown': 'passkey',
  'passkey-signature': 'passkey',
  'passkey-user': 'passkey',
  'passkey-counter': 'passkey',
  'passkey-unverified': 'passkey',
  'wrong-second-factor': 'second-factor',
  'second-factor-waiting': 'second-factor',
  'second-factor-locked': 'second-factor',
  'mail-code': 'mail',
  'mail-code-expired': 'mail',
  'mail-code-ended': 'mail',
  'mail-link': 'mail',
  'mail-link-browser': 'mail',
  'mail-disabled': 'mail',
  'provider-refused': 'provider',
  'provider-code': 'provider',
  'provider-profile': 'provider',
  'provider-unknown': 'provider',
  'provider-without-address': 'provider',
  'provider-failed': 'provider',
  'state-cookie-missing': 'provider',
  'state-expired': 'provider',
  'account-not-linked': 'provider',
  'sign-up-disabled': 'provider',
  'redirect-uri': 'application',
  'client-unknown': 'application',
  'client-disabled': 'application',
  'client-secret': 'application',
  'public-client-secret': 'application',
  'consent-denied': 'application',
  scope: 'application',
  pkce: 'application',
  grant: 'application',
  'grant-type': 'application',
  'interaction-expired': 'application',
  authorization: 'application',
  'network-limit': 'request',
  'request-limit': 'request',
  overloaded: 'request',
  origin: 'request',
  refused: 'request',
  more: 'request',
}

const ways: Readonly<Record<FailureMethod, PlainKey>> = {
  password: 'history.password',
  passkey: 'history.method.passkey',
  'second-factor': 'history.method.secondFactor',
  mail: 'history.method.mail',
  provider: 'history.provider',
  application: 'history.kind.application',
  request: 'history.method.request',
}

/** The options of the filters by sign-in method and by reason: pairs of value and text. A reason also has the method under which it is listed. */
export const useFailureOptions = () => {
  const { t } = useI18n()
  const nameOf = useReasonName()
  return {
    methods: Object.entries(ways).map(([method, text]) => [method, t(text)] as const),
    reasons: Object.entries(wayOf).map(([reason, method]) => [reason, nameOf(reason), t(ways[method])] as const),
  }
}
