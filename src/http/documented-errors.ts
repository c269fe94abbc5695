import { permissions } from '../access/permissions.ts'
import { codeOf, type ListedError } from '../core/errors.ts'
import type { Endpoint } from './contract.ts'
import { isAdministrative } from './origin.ts'
import { urlErrorCode } from './trusted-url.ts'

/** Error codes of answers that the server gives before it calls the handler. */
const commonCodes = (endpoint: Endpoint): string[] => {
  const { access, method, limit, urls, startsSession, ifMatch, proofOfWork, encoding = 'json' } = endpoint
  return [
    // Answers a wrong body, query, header or path parameter, and a repeated query parameter.
    'VALIDATION_ERROR',
    ...(method === 'GET' ? [] : ['BODY_TOO_LARGE', `${encoding === 'raw' ? 400 : 415} UNSUPPORTED_MEDIA_TYPE`]),
    ...(method !== 'GET' && encoding === 'json' ? ['INVALID_JSON'] : []),
    // FORBIDDEN answers a key that lacks the permission.
    ...(typeof access === 'string' ? [] : ['UNAUTHORIZED', 'FORBIDDEN']),
    ...(typeof access !== 'string' && access.denied !== undefined ? [codeOf(access.denied)] : []),
    ...(typeof access !== 'string' && permissions[access.permission] !== 'account' ? ['SECOND_FACTOR_REQUIRED'] : []),
    ...(typeof access !== 'string' && access.fresh !== undefined ? ['SESSION_IS_NOT_FRESH'] : []),
    // A page of another origin may not read administrators' data with a session cookie.
    ...(method !== 'GET' || startsSession === true || isAdministrative(endpoint) ? ['INVALID_ORIGIN'] : []),
    ...(urls ?? []).map((field) => urlErrorCode[field]),
    ...(ifMatch !== undefined ? ['PRECONDITION_FAILED'] : []),
    ...(proofOfWork !== undefined ? ['PROOF_OF_WORK_REQUIRED', 'PROOF_OF_WORK_INVALID'] : []),
    ...(limit !== 'none' ? ['TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER'] : []),
  ]
}

/** Errors of API keys, which every call that identifies its principal can return. The list is empty if API keys are disabled. */
const keyCodes = ['INVALID_API_KEY', 'API_KEY_HAS_EXPIRED', 'API_KEY_IS_DISABLED', 'API_KEY_IS_NOT_ALLOWED_FROM_THIS_ADDRESS']

/** Errors that any call can return. The last four answer a body or query with an untrusted URL field. */
const codesOfAllCalls = [
  ...['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE', 'INVALID_HOST', 'MISDIRECTED_REQUEST'],
  ...Object.values(urlErrorCode),
]

/** The errors that the API document lists once for all calls, because they are not about a particular operation. */
export const errorsOfAllCalls = (listed: readonly ListedError[]): readonly ListedError[] =>
  listed.filter(({ code }) => codesOfAllCalls.includes(code))

/**
 * The errors of an endpoint in the API document. Throws for a declared code that is in no table, and for a code of several statuses that
 * is declared without one (`404 USER_NOT_FOUND`).
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
