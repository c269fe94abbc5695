import { errorsOf } from '../../core/errors.ts'

/** Refusals of registrations, in the form of OAuth (RFC 7591, section 3.2.2; RFC 6750, section 3.1). */
export const registrationErrors = errorsOf({
  INVALID_REGISTRATION: [400, 'Invalid registration', 'invalid_client_metadata'],
  INVALID_REGISTERED_ADDRESS: [400, 'Invalid registered address', 'invalid_redirect_uri'],
  AUTHENTICATION_REQUIRED_FOR_CLIENT_REGISTRATION: [401, 'Authentication required for client registration', 'invalid_token'],
  REGISTRATION_TOKEN_IS_INVALID: [401, 'Registration token is invalid', 'invalid_token'],
  CLIENT_REGISTRATION_NOT_ALLOWED: [403, 'Client registration not allowed', 'access_denied'],
  TOO_MANY_REGISTRATIONS: [429, 'Too many registrations', 'temporarily_unavailable'],
  TOO_MANY_UNKNOWN_CLIENTS: [503, 'Too many unknown clients', 'temporarily_unavailable'],
})
