import { ApiError } from '../../src/http/client.ts'
import type { FormProblem } from './error-messages.ts'
import { errorMessages } from './error-messages.ts'
import type { I18n } from './i18n.ts'
import { knowsPasskeys } from './passkey.ts'

/** Keys of the messages, by the name of the browser's error (Web Authentication, sections 5.1.3 and 5.1.4). */
const words = {
  NotAllowedError: 'passkey.cancelled',
  NotMadeError: 'passkey.notMade',
  SecurityError: 'passkey.domain',
  InvalidStateError: 'passkey.exists',
  NotSupportedError: 'passkey.device',
  ConstraintError: 'passkey.device',
  UnknownError: 'passkey.device',
} as const
const isKnown = (name: string): name is keyof typeof words => Object.hasOwn(words, name)

/**
 * The message after a passkey could not be used or made, by the browser or by the server. Undefined if another request of the page has
 * replaced the request. Texts are in the catalogue `secondFactor`.
 */
export const passkeyProblem = (error: unknown, retryAfterSeconds: number | undefined, i18n: I18n): FormProblem | undefined => {
  if (error instanceof ApiError) return errorMessages(error, [], retryAfterSeconds, i18n).form
  if (!knowsPasskeys()) return { text: i18n.t('passkey.unsupported') }
  const name = error instanceof Error ? error.name : ''
  if (name === 'AbortError') return undefined
  return { text: i18n.t(isKnown(name) ? words[name] : 'passkey.failed') }
}
