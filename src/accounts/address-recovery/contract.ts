import { z } from 'zod'
import { passwordInput, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

const token = plainText(64)

export const addressRecoveryContract = contract({
  checkRecovery: {
    method: 'POST',
    path: '/recover-address/check',
    summary: 'The address that a link from the notice of a change takes back; consumes nothing',
    access: 'anonymous',
    body: z.object({ token }),
    response: z.object({ email: z.string() }),
    errors: ['INVALID_TOKEN'],
    hidden: true,
  },
  recoverAddress: {
    method: 'POST',
    path: '/recover-address',
    summary: 'Take an account back by the address it had before: restores it, sets a new password and ends all access',
    access: 'anonymous',
    body: z.object({ token, newPassword: passwordInput }),
    response: z.object({ status: z.boolean() }),
    errors: [
      'INVALID_TOKEN',
      'ANOTHER_ACCOUNT_HAS_THIS_ADDRESS',
      'PASSWORD_TOO_SHORT',
      'PASSWORD_TOO_LONG',
      'PASSWORD_TOO_COMMON',
    ],
    limit: 'strict',
    startsSession: true,
  },
})
