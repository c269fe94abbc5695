import { permissions } from '../access/permissions.ts'
import { codeOf, type ListedError } from '../core/errors.ts'
import type { Endpoint } from './contract.ts'
import { isAdministrative } from './origin.ts'
import { urlErrorCode } from './trusted-url.ts'

/** Error codes of the server before it calls the handler. */
const commonCodes = (endpoint: Endpoint): string[] => {
  const { access, method, limit, urls, startsSession, ifMatch, proofOfWork, encoding = 'json' } = endpoint
  return [
    // Errors of a body, a query, a header, a parameter of the path, and a repeated parameter of the query.
    'VALIDATION_ERROR',
    ...(method === 'GET' ? [] : ['BODY_TOO_LARGE', `${encoding === 'raw' ? 400 : 415} UNSUPPORTED_MEDIA_TYPE`]),
    ...(method !== 'GET' && encoding === 'json' ? ['INVALID_JSON'] : []),
    // The second one is for a key without the permission.
    ...(typeof access === 'string' ? [] : ['UNAUTHORIZED', 'FORBIDDEN']),
    ...(typeof access !== 'string' && access.denied !== undefined ? [codeOf(access.denied)] : []),
    ...(typeof access !== 'string' && permissions[access.permission] !== 'account' ? ['SECOND_FACTOR_REQUIRED'] : []),
    ...(typeof access !== 'string' && access.fresh !== undefined ? ['SESSION_IS_NOT_FRESH'] : []),
    // A page of another origin may not make a read of administrators with a session cookie.
    ...(method !== 'GET' || startsSession === true || isAdministrative(endpoint) ? ['INVALID_ORIGIN'] : []),
    ...(urls ?? []).map((field) => urlErrorCode[field]),
    ...(ifMatch !== undefined ? ['PRECONDITION_FAILED'] : []),
    ...(proofOfWork !== undefined ? ['PROOF_OF_WORK_REQUIRED', 'PROOF_OF_WORK_INVALID'] : []),
    ...(limit !== 'none' ? ['TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER'] : []),
  ]
}

/** The errors of API keys in every call that identifies its principal; empty if API keys are disabled. */
const keyCodes = ['INVALID_API_KEY', 'API_KEY_HAS_EXPIRED', 'API_KEY_IS_DISABLED', 'API_KEY_IS_NOT_ALLOWED_FROM_THIS_ADDRESS']

/** Errors of any call; the last four for a body or query with one of the always checked address fields. */
const codesOfAllCalls = [
  ...['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE', 'INVALID_HOST', 'MISDIRECTED_REQUEST'],
  ...Object.values(urlErrorCode),
]

/** The errors that the API document lists once for all calls, because they are not about the operation. */
export const errorsOfAllCalls = (listed: readonly ListedError[]): readonly ListedError[] =>
  listed.filter(({ code }) => codesOfAllCalls.includes(code))

/**
 * The errors of an endpoint in the API document. Throws for a declared code that no table has, or a code of several statuses without its
 * status (`404 USER_NOT_FOUND`).
 */
export const documentedErrors = (endpoint: Endpoint, listed: readonly ListedError[]): readonly ListedError[] => {
  const errorOf = (declared: string): ListedError => {
    const [code, status] = declared.split(' ').reverse()
    const found = listed.filter((error) => error.code === code && (status === undefined || error.status === Number(status)))
    const [error, other] = found
    if (error === undefined) throw new Error(`${endpoint.path} declares ${declared}, which is in no error table`)
    if (other !== undefined)
      throw new Error(
        `${endpoint.path} declares ${declared}, which has the statuses ${found.map(({ status }) => status).join(', ')}`,
      )
    return error
  }
  const ofKeys = endpoint.access === 'anonymous' ? [] : listed.filter(({ code }) => keyCodes.includes(code))
  return [...new Set([...[...commonCodes(endpoint), ...endpoint.errors].map(errorOf), ...ofKeys])]
}
