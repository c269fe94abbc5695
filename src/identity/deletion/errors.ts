import { errorsOf } from '../../core/errors.ts'

export const deletionErrors = errorsOf({
  SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION: [400, 'Session expired. Re-authenticate to perform this action.'],
  USER_ALREADY_HAS_A_PASSWORD_PROVIDE_THAT_TO_DELETE_THE_ACCOUNT: [
    400,
    'User already has a password. Provide that to delete the account.',
  ],
  FAILED_TO_GET_USER_INFO: [404, 'Failed to get user info'],
})
