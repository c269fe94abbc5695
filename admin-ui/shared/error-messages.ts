import { ApiError } from '../../src/http/client.ts'
import type pages from '../locales/pages/en.json'
import type { Parameters } from '../locales/parameters.ts'
import type { I18n } from './i18n.ts'

/** Keys of texts without placeholders. Only such a text can belong to an error code. */
type ProblemKey = Exclude<Extract<keyof (typeof pages)['pages'], `problem.${string}`>, keyof Parameters>

/** Error codes that are about one field, each with the names that forms give to the field, and the key of the text. */
const fieldCodes: Readonly<Record<string, readonly [fields: readonly string[], text: ProblemKey]>> = {
  INVALID_EMAIL: [['newEmail', 'email'], 'problem.emailInvalid'],
  EMAIL_IS_THE_SAME: [['newEmail'], 'problem.emailSame'],
  COULDNT_UPDATE_YOUR_EMAIL: [['newEmail'], 'problem.emailTaken'],
  INVALID_EMAIL_OR_PASSWORD: [['password'], 'problem.wrongPassword'],
  INVALID_PASSWORD: [['currentPassword', 'password'], 'problem.passwordWrong'],
  USER_ALREADY_HAS_A_PASSWORD_PROVIDE_THAT_TO_DELETE_THE_ACCOUNT: [['password'], 'problem.passwordMissing'],
  PASSWORD_TOO_SHORT: [['newPassword', 'password'], 'problem.passwordShort'],
  PASSWORD_TOO_LONG: [['newPassword', 'password'], 'problem.passwordLong'],
  PASSWORD_TOO_COMMON: [['newPassword', 'password'], 'problem.passwordCommon'],
  PASSWORD_WAS_LEAKED: [['newPassword', 'password'], 'problem.passwordLeaked'],
  USER_ALREADY_EXISTS: [['email'], 'problem.userExists'],
}

/** Error codes that are about a whole form, each with the key of the text. */
const formCodes: Readonly<Record<string, ProblemKey>> = {
  EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED: 'problem.signUpOff',
  EMAIL_AND_PASSWORD_IS_NOT_ENABLED: 'problem.passwordSignInOff',
  INVALID_CALLBACKURL: 'problem.callback',
  INVALID_REDIRECTURL: 'problem.callback',
  INVALID_ERRORCALLBACKURL: 'problem.callback',
  INVALID_ORIGIN: 'problem.origin',
  SETUP_LINK_IS_NOT_VALID: 'problem.setupLink',
  ADMINISTRATOR_ALREADY_EXISTS: 'problem.setupLink',
  INTERACTION_NOT_FOUND: 'problem.expired',
  INVALID_TWO_FACTOR_COOKIE: 'problem.expired',
  NO_CONSENT_PROMPT_FOUND: 'problem.expired',
  // The OpenID Provider sends this code if the interaction of a consent has ended.
  invalid_request: 'problem.expired',
  UNAUTHORIZED: 'problem.signedOut',
  FAILED_TO_GET_SESSION: 'problem.signedOut',
  SESSION_IS_NOT_FRESH: 'problem.notFresh',
  SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION: 'problem.notFresh',
  SECOND_FACTOR_REQUIRED: 'problem.notFresh',
  YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL: 'problem.alreadyVerified',
  VERIFICATION_EMAIL_ISNT_ENABLED: 'problem.verificationOff',
  RESET_PASSWORD_ISNT_ENABLED: 'problem.resetOff',
  CHANGE_EMAIL_IS_DISABLED: 'problem.changeEmailOff',
  COULDNT_UPDATE_YOUR_EMAIL: 'problem.emailTaken',
  INVALID_TOKEN: 'problem.linkUsed',
  TOKEN_EXPIRED: 'problem.linkUsed',
  ANOTHER_ACCOUNT_HAS_THIS_ADDRESS: 'problem.addressTaken',
  USER_NOT_FOUND: 'problem.accountGone',
  FAILED_TO_UPDATE_USER: 'problem.accountGone',
  API_KEY_NOT_FOUND: 'problem.apiKeyGone',
  YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY: 'problem.apiKeyGone',
  YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_YOUR_OWN_EMAIL: 'problem.otherAccount',
  CREDENTIAL_ACCOUNT_NOT_FOUND: 'problem.noPassword',
  BANNED_USER: 'problem.banned',
  TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD: 'problem.passwordLocked',
  YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT: 'problem.lastAccount',
  ORGANIZATION_CANNOT_BE_CHOSEN: 'problem.organizationNotFound',
  ACCOUNT_NOT_FOUND: 'problem.accountNotFound',
  THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED: 'problem.lastAdministrator',
  PROVIDER_NOT_FOUND: 'problem.providerOff',
  NETWORK: 'problem.network',
}

/** The texts in a form for a failed call. */
export interface ErrorMessages {
  readonly fields: Readonly<Record<string, string>>
  readonly form?: FormProblem
}

export interface FormProblem {
  readonly text: string
  /** Seconds until the server accepts another call. */
  readonly waitSeconds?: number
}

/** How many seconds to wait after the status 429 if the response does not say. It is the length of the server's rate limit window. */
const defaultWaitSeconds = 10

const formProblem = (error: unknown, retryAfterSeconds: number | undefined, { t, serverMessage }: I18n): FormProblem => {
  if (!(error instanceof ApiError)) {
    // Any other kind of error is a bug, so it is also reported to the error listeners of the window.
    reportError(error)
    return { text: t('problem.unknown') }
  }
  if (error.code === 'NETWORK' && !navigator.onLine) return { text: t('problem.offline') }
  const known = Object.hasOwn(formCodes, error.code) ? formCodes[error.code] : undefined
  if (known !== undefined) return { text: t(known) }
  const message = serverMessage(error.code)
  if (message !== undefined) return { text: message }
  if (error.status === 429) return { text: t('problem.tooMany'), waitSeconds: retryAfterSeconds ?? defaultWaitSeconds }
  return { text: t(error.status === 503 || error.status === 502 || error.status === 504 ? 'problem.busy' : 'problem.unknown') }
}

/**
 * The texts to show after a failed call. If the form has the field that the error is about, the text is shown at the field. Otherwise it
 * is shown for the whole form.
 */
export const errorMessages = (
  error: unknown,
  fields: readonly string[],
  retryAfterSeconds: number | undefined,
  i18n: I18n,
  /** Further error codes of this form, each with the name of the field at which its text is shown. */
  atField: Readonly<Record<string, string>> = {},
): ErrorMessages => {
  if (error instanceof ApiError) {
    const [message, fieldName] = [
      i18n.serverMessage(error.code),
      Object.hasOwn(atField, error.code) ? atField[error.code] : undefined,
    ]
    if (message !== undefined && fieldName !== undefined) return { fields: { [fieldName]: message } }
    const [names, text] = (Object.hasOwn(fieldCodes, error.code) ? fieldCodes[error.code] : undefined) ?? []
    const field = names?.find((name) => fields.includes(name))
    if (field !== undefined && text !== undefined) return { fields: { [field]: i18n.t(text) } }
    const named = error.issues.map((issue) => issue.path.split('.').at(-1) ?? '').filter((name) => fields.includes(name))
    if (named.length > 0) return { fields: Object.fromEntries(named.map((name) => [name, i18n.t('problem.fieldInvalid')])) }
  }
  return { fields: {}, form: formProblem(error, retryAfterSeconds, i18n) }
}
