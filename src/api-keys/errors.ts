import { errorsOf } from '../core/errors.ts'

export const apiKeyErrors = errorsOf({
  INVALID_API_KEY: [401, 'Invalid API key'],
  API_KEY_HAS_EXPIRED: [401, 'API key has expired'],
  API_KEY_IS_DISABLED: [401, 'API key is disabled'],
  API_KEY_IS_NOT_ALLOWED_FROM_THIS_ADDRESS: [403, 'API key is not allowed from this address'],
  API_KEY_NOT_FOUND: [404, 'API key not found'],
  API_KEY_LIMIT_REACHED: [403, 'API key limit reached'],
  API_KEYS_ARE_DISABLED: [403, 'API keys are disabled'],
  API_KEY_CANNOT_HAVE_THESE_PERMISSIONS: [400, 'API key cannot have these permissions'],
  YOU_CANNOT_GIVE_THESE_PERMISSIONS: [403, 'You cannot give these permissions'],
  YOU_ARE_NOT_ALLOWED_TO_MANAGE_THIS_API_KEY: [403, 'You are not allowed to manage this API key'],
  API_KEY_NEEDS_A_MAKER_WITH_A_VERIFIED_ADDRESS: [403, 'API key needs a maker with a verified address'],
  API_KEY_LIFE_IS_TOO_LONG: [400, 'API key life is too long'],
  API_KEY_HAS_TWO_SECRETS_ALREADY: [409, 'API key has two secrets already'],
})
