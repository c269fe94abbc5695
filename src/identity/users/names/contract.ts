import { z } from 'zod'
import { contract } from '../../../http/contract.ts'

/** A user name as it was typed. The schema allows any length, because specific error codes say that a name is too short or too long. */
export const usernameInput = z.string()

export const userNameContract = contract('Sign-up and sign-in', {
  isUsernameAvailable: {
    method: 'POST',
    path: '/is-username-available',
    summary: 'Check whether a user name is free',
    access: 'public',
    body: z.object({ username: usernameInput }),
    response: z.object({ available: z.boolean() }),
    errors: ['USER_NAMES_ARE_NOT_ENABLED', '422 USERNAME_TOO_SHORT', '422 USERNAME_TOO_LONG', '422 INVALID_USERNAME'],
    // The answer reveals whether a user name is taken, so the call has the same strict limit as a sign-up.
    limit: 'strict',
  },
})

/** Descriptions and examples of the calls for the API document. They are not in the contract, because pages load the contract. */
export const userNameDocumentation = {
  isUsernameAvailable: {
    description:
      'Only where `accounts.userNames.mode` is not `off`. A reserved name is not available. The answer reveals whether an account has the name, as a sign-up would. The call therefore has the limit of sign-ups.',
    example: { body: { username: 'ada' }, response: { available: false } },
  },
}
