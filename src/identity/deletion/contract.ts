import { z } from 'zod'
import { errorsOf } from '../../core/errors.ts'
import { passwordInput, plainText, urlInput } from '../../core/wire.ts'
import { contract, jsonOrRedirect } from '../../http/contract.ts'

const outcome = z.object({ success: z.boolean(), message: z.enum(['User deleted', 'Verification email sent']) })
const tokenInput = plainText(256)

export const DeleteUser = z.object({
  callbackURL: urlInput.optional(),
  password: passwordInput.optional(),
  token: tokenInput.optional(),
})

export const deletionContract = contract('Account deletion', {
  deleteUser: {
    method: 'POST',
    path: '/delete-user',
    summary:
      'Delete your own account with the password, a fresh session or a mailed token; mails a link for confirmation if the configuration asks for it',
    access: { permission: 'account:delete' },
    body: DeleteUser,
    response: outcome,
    errors: [
      'NOT_FOUND',
      '401 USER_NOT_FOUND',
      'CREDENTIAL_ACCOUNT_NOT_FOUND',
      'INVALID_PASSWORD',
      '404 INVALID_TOKEN',
      'SESSION_IS_NOT_FRESH',
      'SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION',
      'USER_ALREADY_HAS_A_PASSWORD_PROVIDE_THAT_TO_DELETE_THE_ACCOUNT',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
      'THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED',
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
    ],
    limit: 'strict',
    urls: ['callbackURL'],
  },
  deleteUserCallback: {
    method: 'GET',
    path: '/delete-user/callback',
    changes: true,
    summary: 'Delete the account in the session that belongs to it; the mailed link leads here',
    access: 'public',
    query: z.object({ token: tokenInput, callbackURL: urlInput.optional() }),
    response: jsonOrRedirect(outcome),
    errors: [
      'NOT_FOUND',
      '404 FAILED_TO_GET_USER_INFO',
      '404 INVALID_TOKEN',
      'THE_LAST_ADMINISTRATOR_CANNOT_BE_REMOVED',
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
    ],
    urls: ['callbackURL'],
  },
})

export const deletionErrors = errorsOf({
  SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION: [400, 'Session expired. Re-authenticate to perform this action.'],
  USER_ALREADY_HAS_A_PASSWORD_PROVIDE_THAT_TO_DELETE_THE_ACCOUNT: [
    400,
    'User already has a password. Provide that to delete the account.',
  ],
  FAILED_TO_GET_USER_INFO: [404, 'Failed to get user info'],
})

/** Settings in the section `accounts`. */
export const deletionSettings = {
  deleteUserEnabled: z.boolean().default(true).describe('Users may delete their account.').meta({ weakened: 'never' }),
  deleteUserVerification: z
    .boolean()
    .default(false)
    .describe('Deleting an account needs a mailed link, even with the right password.')
    .meta({ weakened: 'off' }),
  deleteUserNeedsPassword: z
    .boolean()
    .default(false)
    .describe('Users with a password must give it to delete the account: a fresh session is not enough.')
    .meta({ weakened: 'off' }),
}
export type DeletionConfig = z.output<z.ZodObject<typeof deletionSettings>>
