import type { Remedies } from '../../core/remedies.ts'
import type { FailureReason, StoredFailure } from '../failures/index.ts'

/** What a failure means for an operator: a sentence, the setting or error code that caused the failure, and a command that can help. */
export interface Meaning {
  readonly text: string
  readonly rule: string | null
  readonly remedy: string | null
}

/** The commands that can help, and the values that are put into them. */
export interface Named {
  readonly remedies: Remedies
  /** The mail address or id of the account; undefined if there is no account. */
  readonly user: string | undefined
}

const ofClient = ({ clientId }: StoredFailure, command: (clientId: string) => string) =>
  clientId === null ? null : command(clientId)
const fact = ({ detail }: StoredFailure, name: string) => {
  const value = detail[name]
  return value === undefined || value === '' ? undefined : String(value)
}
/** The text in brackets; empty if the text is undefined. */
const because = (text: string | undefined) => (text === undefined ? '' : ` (${text})`)
const waits = (failure: StoredFailure) => {
  const seconds = fact(failure, 'seconds')
  return seconds === undefined ? 'had to wait' : `had to wait ${seconds} s`
}
const provider = (failure: StoredFailure) => failure.provider ?? 'the provider'
const application = ({ clientId }: StoredFailure) => (clientId === null ? 'The application' : `The application ${clientId}`)
const settings = (failure: StoredFailure) => `social.${failure.provider ?? '<provider>'}`

const meanings: Readonly<Record<FailureReason, (failure: StoredFailure, named: Named) => Meaning>> = {
  'wrong-password': ({ code }, named) => ({
    text: 'The password was wrong.',
    rule: code,
    remedy: named.user === undefined ? null : named.remedies.setPassword(named.user),
  }),
  'unknown-address': ({ code }) => ({ text: 'No account had the address.', rule: code, remedy: null }),
  'unknown-name': ({ code }) => ({ text: 'No account had the user name.', rule: code, remedy: null }),
  'no-password': ({ code }, named) => ({
    text: 'The account has no password: it signs in with a provider.',
    rule: code,
    remedy: named.user === undefined ? null : named.remedies.setPassword(named.user),
  }),
  'password-disabled': (_, { remedies }) => ({
    text: 'Sign-in with email and password is off.',
    rule: 'accounts.emailPasswordEnabled',
    remedy: remedies.checkConfig(),
  }),
  waiting: (failure, named) => ({
    text: `After too many wrong passwords for the address or user name, the attempt ${waits(failure)}. The password was not looked at.`,
    rule: 'accounts.guessing.freeAttempts',
    remedy: named.user === undefined ? null : named.remedies.setPassword(named.user),
  }),
  locked: (_, named) => ({
    text: 'After too many wrong passwords in a row, only a reset lets the password in.',
    rule: 'accounts.guessing.resetAfter',
    remedy: named.user === undefined ? null : named.remedies.setPassword(named.user),
  }),
  'wrong-second-factor': (failure) => ({
    text: `The password was right, the second factor (${fact(failure, 'factor') ?? 'a code'}) was wrong, or was used before.`,
    rule: failure.code,
    remedy: null,
  }),
  'second-factor-waiting': (failure) => ({
    text: `After too many wrong second factors, the attempt ${waits(failure)}. The code was not looked at.`,
    rule: 'accounts.guessing.freeAttempts',
    remedy: null,
  }),
  'second-factor-locked': (_, { user, remedies }) => ({
    text: 'After too many wrong second factors in a row, none is taken until the password is a new one.',
    rule: 'accounts.guessing.resetAfter',
    remedy: user === undefined ? null : remedies.createRecoveryLink(user),
  }),
  'second-step-pending': (failure) => ({
    text: `The first step (${fact(failure, 'given') ?? 'a proof'}) was right; ${fact(failure, 'asked')} until ${fact(failure, 'until')}.`,
    rule: null,
    remedy: null,
  }),
  'second-step-abandoned': (failure, { user, remedies }) => ({
    text: `The first step (${fact(failure, 'given') ?? 'a proof'}) was right; ${fact(failure, 'asked')} and did not come within five minutes.`,
    rule: null,
    remedy: user === undefined ? null : remedies.createRecoveryLink(user, '--second-factor'),
  }),
  'mail-code': ({ code }) => ({ text: 'The mailed code was wrong, or was used before.', rule: code, remedy: null }),
  'mail-code-expired': ({ code }) => ({ text: 'The mailed code was older than ten minutes.', rule: code, remedy: null }),
  'mail-code-ended': ({ code }) => ({
    text: 'Three wrong codes ended the mailed sign-in: another mail has to be asked for.',
    rule: code,
    remedy: null,
  }),
  'mail-link': ({ code }, { remedies }) => ({
    text: 'The mailed link was used before, or is older than ten minutes.',
    rule: code,
    remedy: remedies.listFailedMails(),
  }),
  'mail-link-browser': ({ code }) => ({
    text: 'The mailed link was opened in another browser than the one that asked for it.',
    rule: code,
    remedy: null,
  }),
  'mail-disabled': (_, { remedies }) => ({
    text: 'Sign-in by mail is off.',
    rule: 'mailSignIn.enabled',
    remedy: remedies.checkConfig(),
  }),
  'network-limit': (failure, { remedies }) => ({
    text: `Many sign-ins came from the network: the attempt ${waits(failure)}. The password was not looked at.`,
    rule: 'limits.network.max',
    remedy: remedies.explainSignIn(failure.address),
  }),
  'request-limit': (failure, { remedies }) => ({
    text: `Many requests came from the address: the attempt ${waits(failure)}. It was not looked at.`,
    rule: failure.method === 'application' ? 'limits.general.max' : 'limits.strict.max',
    remedy: remedies.explainSignIn(failure.address),
  }),
  overloaded: ({ code }, { remedies }) => ({
    text: 'The server had too many passwords to check at once.',
    rule: code,
    remedy: remedies.doctor(),
  }),
  origin: ({ code }, { remedies }) => ({
    text: `The page, or an address it named, is on an origin that is not trusted (${code}).`,
    rule: 'trustedOrigins',
    remedy: remedies.checkConfig(),
  }),
  banned: (_, named) => ({
    text: 'The user is banned.',
    rule: 'BANNED_USER',
    remedy: named.user === undefined ? null : named.remedies.unbanUser(named.user),
  }),
  'email-not-verified': (_, { remedies }) => ({
    text: 'The password was right, and the address is not verified. A new link was mailed.',
    rule: 'accounts.requireEmailVerification',
    remedy: remedies.listFailedMails(),
  }),
  'passkey-challenge': ({ code }) => ({
    text: 'The passkey signed a challenge that was used already, too old, or of another browser.',
    rule: `${code}, passkeys.timeoutSeconds`,
    remedy: null,
  }),
  'passkey-page': (failure, { remedies }) => ({
    text: `The passkey was used on a page, or for a domain, that is not one of this server${because(fact(failure, 'why'))}.`,
    rule: 'passkeys.origins, passkeys.rpId',
    remedy: remedies.checkConfig(),
  }),
  'passkey-unknown': ({ code }) => ({
    text: 'No account has the passkey: it was removed here, but not from the device.',
    rule: code,
    remedy: null,
  }),
  'passkey-signature': ({ code }) => ({
    text: 'The request named a passkey of the account, but another key signed it.',
    rule: code,
    remedy: null,
  }),
  'passkey-user': ({ code }) => ({
    text: 'The passkey was not one of the account that was signing in.',
    rule: code,
    remedy: null,
  }),
  'passkey-counter': ({ code }, named) => ({
    text: 'The counter of the passkey has not grown since its last use: the passkey may have been copied.',
    rule: code,
    remedy: named.user === undefined ? null : named.remedies.endSessions(named.user),
  }),
  'passkey-unverified': ({ code }) => ({
    text: 'The security key did not ask for a PIN, a finger or a face: it is a second factor, and no sign-in by itself.',
    rule: code,
    remedy: null,
  }),
  'provider-refused': (failure) => {
    const said = [fact(failure, 'error'), fact(failure, 'description')].filter((part) => part !== undefined).join(': ')
    return {
      text: `${provider(failure)} did not sign the person in${because(said === '' ? undefined : said)}.`,
      rule: fact(failure, 'error') ?? failure.code,
      remedy: null,
    }
  },
  'state-cookie-missing': ({ code }, { remedies }) => ({
    text: 'The browser came back from the provider without the cookie of the sign-in it began: another browser, blocked cookies, or another address of this server.',
    rule: code,
    remedy: remedies.checkConfig(),
  }),
  'state-expired': (failure) => ({
    text: `The browser came back from ${provider(failure)} with a sign-in that had ended, was used already, or began in another browser.`,
    rule: 'social.stateTtlSeconds',
    remedy: null,
  }),
  'provider-code': (failure, { remedies }) => ({
    text: `${provider(failure)} did not take the code of its own sign-in${because(fact(failure, 'answer'))}.`,
    rule: `${settings(failure)}.clientSecret`,
    remedy: remedies.checkConfig(),
  }),
  'provider-profile': (failure, { remedies }) => ({
    text: `${provider(failure)} did not say who the person is${because(fact(failure, 'answer'))}.`,
    rule: settings(failure),
    remedy: remedies.checkConfig(),
  }),
  'provider-unknown': ({ code }, { remedies }) => ({
    text: 'The provider is not switched on here.',
    rule: code,
    remedy: remedies.checkConfig(),
  }),
  'provider-without-address': (failure) => ({
    text: `${provider(failure)} gave no address for the account.`,
    rule: `${settings(failure)}.placeholderEmailDomain`,
    remedy: null,
  }),
  'account-not-linked': (failure, { user, remedies }) => ({
    text: `An account has the address already, and ${provider(failure)} may not sign in to it: the address is not proven, or it is an administrator's.`,
    rule: `${settings(failure)}.trustsEmail`,
    remedy: user === undefined ? null : remedies.getUser(user),
  }),
  'sign-up-disabled': (failure) => ({
    text: `No user has this account of ${provider(failure)}, and it may not make a new one.`,
    rule: 'social.signUpEnabled, social.implicitSignUp, accounts.signUpEnabled',
    remedy: null,
  }),
  'provider-failed': (failure, { remedies }) => ({
    text: `The sign-in with ${provider(failure)} broke off; the log has more under the request ${failure.requestId}.`,
    rule: failure.code,
    remedy: remedies.doctor(),
  }),
  'redirect-uri': (failure, { remedies }) => ({
    text: `${application(failure)} asked to come back to an address that is not registered for it${because(fact(failure, 'redirectUri'))}.`,
    rule: 'redirect_uris',
    remedy: ofClient(failure, remedies.getClient),
  }),
  'client-unknown': (failure, { remedies }) => ({
    text: `${application(failure)} is not registered here.`,
    rule: failure.code,
    remedy: remedies.listClients(),
  }),
  'client-disabled': (failure, { remedies }) => ({
    text: `${application(failure)} is disabled.`,
    rule: 'client.disabled',
    remedy: ofClient(failure, remedies.enableClient),
  }),
  'client-secret': (failure, { remedies }) => ({
    text: `${application(failure)} did not authenticate: its secret is wrong or missing.`,
    rule: failure.code,
    remedy: ofClient(failure, remedies.rotateClientSecret),
  }),
  'public-client-secret': (failure) => ({
    text: `${application(failure)} sent a secret, and has no secret: it is registered as one that cannot keep any. Take the secret out of its settings.`,
    rule: 'type of the client',
    remedy: null,
  }),
  'consent-denied': (failure) => ({
    text: `The person did not agree to what ${application(failure).replace('The', 'the')} asked for.`,
    rule: failure.code,
    remedy: null,
  }),
  scope: (failure, { remedies }) => ({
    text: `${application(failure)} asked for a scope it may not have${because(fact(failure, 'scope') ?? fact(failure, 'detail'))}.`,
    rule: 'oidc.unknownScopes, unknownScopes and scope of the client',
    remedy: ofClient(failure, (id) => remedies.updateClient(id, '--unknown-scopes', 'ignore')),
  }),
  pkce: (failure, { remedies }) => ({
    text: `${application(failure)} sent no PKCE challenge, or a verifier that does not fit${because(fact(failure, 'detail'))}.`,
    rule: 'pkce of the client, oidc.requirePkce',
    // A changed setting helps only if the application sent no challenge at all. Otherwise the application itself has to be corrected.
    remedy: fact(failure, 'detail')?.includes('--pkce optional')
      ? ofClient(failure, (id) => remedies.updateClient(id, '--pkce', 'optional'))
      : null,
  }),
  grant: (failure, { remedies }) => ({
    text: `${application(failure)} did not get a token: its code or refresh token did not count${because(fact(failure, 'detail'))}.`,
    rule: failure.code,
    remedy: ofClient(failure, remedies.getClient),
  }),
  'grant-type': (failure, { remedies }) => ({
    text: `${application(failure)} asked for a token in a way that its type does not have${because(fact(failure, 'detail'))}.`,
    rule: 'type of the client',
    remedy: ofClient(failure, remedies.getClient),
  }),
  'interaction-expired': () => ({
    text: 'The page of the sign-in was too old, or another browser began it. The person has to start again at the application.',
    rule: 'oidc.interactionTtlSeconds',
    remedy: null,
  }),
  authorization: (failure, { remedies }) => ({
    text: `${application(failure)} was refused with ${failure.code}${because(fact(failure, 'detail'))}.`,
    rule: failure.code,
    remedy: ofClient(failure, remedies.getClient),
  }),
  refused: ({ code }) => ({ text: `The request was refused with ${code}.`, rule: code, remedy: null }),
  more: ({ attempts }) => ({
    text: `${attempts} more failed attempts were counted and not kept one by one.`,
    rule: 'signIns.perPersonHourly, signIns.perNetworkHourly',
    remedy: null,
  }),
}

/** Explains a failed attempt by its reason. */
export const meaningOf = (failure: StoredFailure, named: Named): Meaning =>
  (meanings[failure.reason] ?? meanings.refused)(failure, named)

/** Details of a failed attempt in the words of the identity provider or server; null if there are none. */
export const detailOf = (failure: StoredFailure): string | null => {
  const seconds = fact(failure, 'seconds')
  const said = ['factor', 'given', 'until', 'why', 'answer', 'error', 'description', 'redirectUri', 'scope', 'detail']
  const known = [...said.map((name) => fact(failure, name)), seconds === undefined ? undefined : `${seconds} s`]
  const texts = new Set(known.filter((text) => text !== undefined))
  return texts.size === 0 ? null : [...texts].join(', ')
}
