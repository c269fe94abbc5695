import { z } from 'zod'
import { contract } from '../../../http/contract.ts'

/** A user name as typed. The schema allows any length, so that specific error codes can name the problem. */
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
    // The answer reveals whether a name exists, so the call is limited as strictly as a sign-up.
    limit: 'strict',
  },
})

/** Descriptions and examples for the API document. They are kept outside of the contract because pages load the contract. */
export const userNameDocumentation = {
  isUsernameAvailable: {
    description:
      'Only where `accounts.userNames.mode` is not `off`. A reserved name is not available. The answer reveals whether an account has the name, as a sign-up would. The call therefore has the limit of sign-ups.',
    example: { body: { username: 'ada' }, response: { available: false } },
  },
}
