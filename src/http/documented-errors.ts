import { permissions } from '../access/permissions.ts'
import { codeOf, type ListedError } from '../core/errors.ts'
import type { Endpoint } from './contract.ts'
import { isAdministrative } from './origin.ts'
import { urlErrorCode } from './trusted-url.ts'

/** Codes of errors that the server itself may answer before it runs the handler of this endpoint. */
const commonCodes = (endpoint: Endpoint): string[] => {
  const { access, method, limit, urls, startsSession, ifMatch, proofOfWork, encoding = 'json' } = endpoint
  return [
    // The error for a body, query, header or path parameter that does not match its schema, and for a query parameter that is repeated.
    'VALIDATION_ERROR',
    ...(method === 'GET' ? [] : ['BODY_TOO_LARGE', `${encoding === 'raw' ? 400 : 415} UNSUPPORTED_MEDIA_TYPE`]),
    ...(method !== 'GET' && encoding === 'json' ? ['INVALID_JSON'] : []),
    // The error FORBIDDEN is for an API key that does not have the permission.
    ...(typeof access === 'string' ? [] : ['UNAUTHORIZED', 'FORBIDDEN']),
    ...(typeof access !== 'string' && access.denied !== undefined ? [codeOf(access.denied)] : []),
    ...(typeof access !== 'string' && permissions[access.permission] !== 'account' ? ['SECOND_FACTOR_REQUIRED'] : []),
    ...(typeof access !== 'string' && access.fresh !== undefined ? ['SESSION_IS_NOT_FRESH'] : []),
    // A read by an administrator can have this error, too, because pages of other origins must not read such data with a session cookie.
    ...(method !== 'GET' || startsSession === true || isAdministrative(endpoint) ? ['INVALID_ORIGIN'] : []),
    ...(urls ?? []).map((field) => urlErrorCode[field]),
    ...(ifMatch !== undefined ? ['PRECONDITION_FAILED'] : []),
    ...(proofOfWork !== undefined ? ['PROOF_OF_WORK_REQUIRED', 'PROOF_OF_WORK_INVALID'] : []),
    ...(limit !== 'none' ? ['TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER'] : []),
  ]
}

/** Errors about API keys. Every call that identifies its principal can have them. The list is empty if API keys are disabled. */
const keyCodes = ['INVALID_API_KEY', 'API_KEY_HAS_EXPIRED', 'API_KEY_IS_DISABLED', 'API_KEY_IS_NOT_ALLOWED_FROM_THIS_ADDRESS']

/** Errors that every call can have. The last four are for a URL field in body or query that is not trusted. */
const codesOfAllCalls = [
  ...['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE', 'INVALID_HOST', 'MISDIRECTED_REQUEST'],
  ...Object.values(urlErrorCode),
]

/** Errors that the API document lists once for all calls, because they are not about any particular call. */
export const errorsOfAllCalls = (listed: readonly ListedError[]): readonly ListedError[] =>
  listed.filter(({ code }) => codesOfAllCalls.includes(code))

/**
 * The errors of an endpoint for the API document. Throws if the endpoint declares a code that no table contains. Throws also if it
 * declares a code that has several statuses without naming the status (`404 USER_NOT_FOUND`).
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
