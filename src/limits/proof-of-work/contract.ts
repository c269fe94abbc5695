import { z } from 'zod'
import { proofPurposes } from '../../core/web.ts'
import { contract } from '../../http/contract.ts'

export const proofOfWorkContract = contract('Sign-up and sign-in', {
  proofOfWork: {
    method: 'GET',
    path: '/proof-of-work',
    summary: 'A challenge whose solution a call carries in the header Gatehouse-Proof-Of-Work',
    access: 'anonymous',
    query: z.object({ for: z.enum(proofPurposes) }),
    response: z.object({
      /** False where the configuration asks for no proof: there is no challenge then. */
      required: z.boolean(),
      challenge: z.string().nullable(),
      algorithm: z.literal('SHA-256'),
      /** Bits of the hash that have to be 0, from the first on. */
      difficulty: z.int(),
      expiresInSeconds: z.int(),
    }),
    errors: [],
  },
})
