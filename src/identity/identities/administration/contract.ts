import { z } from 'zod'
import { plainText } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'
import { SignInMethod } from '../contract.ts'

/** Apart from the other contract, which the sign-in pages load. */
export const identityAdministrationContract = contract('Users', {
  adminListIdentities: {
    method: 'GET',
    path: '/admin/users/:id/identities',
    summary: 'The sign-in methods of a user, without tokens and hashes',
    access: { permission: 'users:read' },
    params: z.object({ id: plainText(64, 1) }),
    response: z.object({ identities: z.array(SignInMethod) }),
    errors: ['NOT_FOUND'],
  },
})
