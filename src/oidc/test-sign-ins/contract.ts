import { z } from 'zod'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { ClaimsPreview } from '../clients/contract.ts'

/** The result of a test sign-in: the data about the administrator that the application would have received. */
export const TestedSignIn = ClaimsPreview.extend({
  clientId: z.string(),
  /** The scopes that were granted. `requested` has the scopes that the application may request. */
  scopes: z.array(z.string()),
  requested: z.array(z.string()),
  /** The authentication methods of the person as values of RFC 8176. The list is empty if they are unknown. */
  amr: z.array(z.string()),
  /** The authentication class; null if the token has none. */
  acr: z.string().nullable(),
  authenticatedAt: instant.nullable(),
}).meta({ id: 'TestedSignIn' })

export const testSignInContract = contract('Administration of applications', {
  startTestSignIn: {
    method: 'POST',
    path: '/admin/clients/:clientId/test-sign-ins',
    summary: 'Start a test sign-in to an application; the address works once, in this browser',
    access: { permission: 'clients:update', fresh: true, session: true },
    params: z.object({ clientId: plainText(255, 1) }),
    response: z.object({
      id: z.string(),
      /** The URL of the authorization request, with PKCE. Only this session can open it. */
      url: z.string(),
      expiresAt: instant,
    }),
    errors: ['APPLICATION_NOT_FOUND', 'SIGN_IN_CANNOT_BE_TESTED'],
  },
  finishTestSignIn: {
    method: 'POST',
    path: '/admin/test-sign-ins/:id',
    summary: 'Complete a test sign-in: uses up its code and returns what the application would receive; no token is issued',
    access: { permission: 'clients:update', session: true },
    params: z.object({ id: plainText(64, 1) }),
    body: z.strictObject({ code: plainText(200, 1) }),
    response: TestedSignIn,
    errors: ['TEST_SIGN_IN_NOT_FOUND'],
  },
})
