import { errorsOf } from '../core/errors.ts'

export const oidcErrors = errorsOf({
  INTERACTION_NOT_FOUND: [404, 'Interaction not found'],
  ORGANIZATION_CANNOT_BE_CHOSEN: [400, 'Organization cannot be chosen'],
  NO_CONSENT_PROMPT_FOUND: [401, 'No consent prompt found', 'invalid_request'],
  CLIENT_NOT_FOUND: [404, 'client not found', 'not_found'],
  INVALID_REDIRECT_URI: [400, 'Invalid redirect URI'],
  REDIRECT_URI_IS_REQUIRED: [400, 'Redirect URI is required'],
  INVALID_SCOPE: [400, 'Invalid scope'],
  INVALID_CLIENT_METADATA: [400, 'Invalid client metadata'],
  YOU_CANNOT_GIVE_PERMISSIONS_THAT_YOU_DO_NOT_HAVE: [403, 'You cannot give permissions that you do not have'],
  APPLICATION_NOT_FOUND: [404, 'Application not found'],
  SIGN_IN_CANNOT_BE_TESTED: [409, 'Sign in cannot be tested'],
  TEST_SIGN_IN_NOT_FOUND: [404, 'Test sign in not found'],
  CONSENT_NOT_FOUND: [404, 'Consent not found'],
  INITIAL_ACCESS_TOKEN_NOT_FOUND: [404, 'Initial access token not found'],
  CLIENT_ID_IS_TAKEN: [409, 'Client id is taken'],
  CLIENT_HAS_NO_SECRET: [400, 'Client has no secret'],
  CLIENT_SECRET_IS_TOO_WEAK: [400, 'Client secret is too weak'],
  SECRET_NOT_FOUND: [404, 'Secret not found'],
  SECRET_ROTATION_IS_UNDER_WAY: [409, 'Secret rotation is under way'],
  KEY_ROTATION_IS_UNDER_WAY: [409, 'Key rotation is under way'],
})
