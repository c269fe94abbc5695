import { ApiError } from '../../src/http/contract.ts'
import type { I18n, Key } from './i18n.ts'

/** Texts without holes: the only ones an error code can be mapped to. */
type PlainKey = Extract<Key, `problem.${string}`> &
  Exclude<Key, 'problem.fields' | 'problem.passwordTooShort' | 'problem.passwordTooLong' | 'problem.tooManyWait'>

/** Server error code -> the field it is about and its words. */
const fieldCodes: Readonly<Record<string, readonly [field: string, text: PlainKey]>> = {
  INVALID_EMAIL: ['email', 'problem.emailInvalid'],
  INVALID_EMAIL_OR_PASSWORD: ['password', 'problem.wrongPassword'],
  INVALID_PASSWORD: ['password', 'problem.wrongPassword'],
  PASSWORD_TOO_SHORT: ['password', 'problem.passwordShort'],
  PASSWORD_TOO_LONG: ['password', 'problem.passwordLong'],
  PASSWORD_TOO_COMMON: ['password', 'problem.passwordCommon'],
  USER_ALREADY_EXISTS: ['email', 'problem.userExists'],
}

/** Server error code -> words about the whole form. */
const formCodes: Readonly<Record<string, PlainKey>> = {
  EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED: 'problem.signUpOff',
  EMAIL_AND_PASSWORD_IS_NOT_ENABLED: 'problem.passwordSignInOff',
  INVALID_CALLBACKURL: 'problem.callback',
  INVALID_ORIGIN: 'problem.origin',
  SETUP_LINK_IS_NOT_VALID: 'problem.setupLink',
  INTERACTION_NOT_FOUND: 'problem.expired',
  UNAUTHORIZED: 'problem.signedOut',
  FAILED_TO_GET_SESSION: 'problem.signedOut',
  YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL: 'problem.alreadyVerified',
  NETWORK: 'problem.network',
}

/** What a person is told about a failed call. */
export interface Explanation {
  readonly fields: Readonly<Record<string, string>>
  readonly form?: { readonly text: string; readonly waitSeconds?: number }
}

/** Waiting time after 429 when the server did not name one: the length of its window. */
const defaultWaitSeconds = 10

const formText = (error: unknown, retryAfterSeconds: number | undefined, { t }: I18n): NonNullable<Explanation['form']> => {
  if (!(error instanceof ApiError)) return { text: t('problem.unknown') }
  if (error.status === 429) return { text: t('problem.tooMany'), waitSeconds: retryAfterSeconds ?? defaultWaitSeconds }
  if (error.code === 'NETWORK' && !navigator.onLine) return { text: t('problem.offline') }
  const known = formCodes[error.code]
  if (known !== undefined) return { text: t(known) }
  return { text: t(error.status === 503 || error.status === 502 || error.status === 504 ? 'problem.busy' : 'problem.unknown') }
}

/** Puts a failed call into words: at the field where the form has it, else for the form. */
export const explain = (
  error: unknown,
  fields: readonly string[],
  retryAfterSeconds: number | undefined,
  i18n: I18n,
): Explanation => {
  if (error instanceof ApiError) {
    const known = fieldCodes[error.code]
    if (known !== undefined && fields.includes(known[0])) return { fields: { [known[0]]: i18n.t(known[1]) } }
    const named = error.issues.map((issue) => issue.path.split('.').at(-1) ?? '').filter((name) => fields.includes(name))
    if (named.length > 0) return { fields: Object.fromEntries(named.map((name) => [name, i18n.t('problem.fieldRefused')])) }
  }
  return { fields: {}, form: formText(error, retryAfterSeconds, i18n) }
}
