import { z } from 'zod'
import { proofPurposes } from '../../core/web.ts'
import { contract } from '../../http/contract.ts'

export const proofOfWorkContract = contract('Sign-up and sign-in', {
  proofOfWork: {
    method: 'GET',
    path: '/proof-of-work',
    summary: 'Get a challenge; a call sends its solution in the header Gatehouse-Proof-Of-Work',
    access: 'anonymous',
    query: z.object({ for: z.enum(proofPurposes) }),
    response: z.object({
      /** False if no proof of work is needed. The response then contains no challenge. */
      required: z.boolean(),
      challenge: z.string().nullable(),
      algorithm: z.literal('SHA-256'),
      /** With how many zero bits the hash of the solution has to begin. */
      difficulty: z.int(),
      expiresInSeconds: z.int(),
    }),
    errors: [],
  },
})

const challenge = 'sign-up.18.tsu9wk.k3JhX0pQ7aZc1mVb9TyR4sLe.Zm9yIHRoZSBleGFtcGxlIGFsb25lLCBub3Qgc2lnbmVk'

/** Descriptions and examples for the API document. */
export const proofOfWorkDocumentation = {
  proofOfWork: {
    description:
      'Find a text of 1 to 32 letters, digits, `-` and `_` for which the SHA-256 hash of `<challenge>.<text>` (UTF-8) begins with ' +
      '`difficulty` zero bits. Send `<challenge>.<text>` as the header `Gatehouse-Proof-Of-Work` of the call. A challenge can be used ' +
      'once, for its purpose only, until it expires.',
    example: { response: { required: true, challenge, algorithm: 'SHA-256', difficulty: 18, expiresInSeconds: 300 } },
  },
}
