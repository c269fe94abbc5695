import { z } from 'zod'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { ClaimsPreview } from '../clients/contract.ts'

/** The data that the application would have received from the test sign-in of an administrator. */
export const TestedSignIn = ClaimsPreview.extend({
  clientId: z.string(),
  /** Scopes that were given; those that the application may ask for are `requested`. */
  scopes: z.array(z.string()),
  requested: z.array(z.string()),
  /** How the person was authenticated, RFC 8176; empty where the provider did not say. */
  amr: z.array(z.string()),
  /** The class of it; null where none was asked for and none is said. */
  acr: z.string().nullable(),
  authenticatedAt: instant.nullable(),
}).meta({ id: 'TestedSignIn' })

export const testSignInContract = contract('Administration of applications', {
  startTestSignIn: {
    method: 'POST',
    path: '/admin/clients/:clientId/test-sign-ins',
    summary: 'Begin a sign-in of your own that tries an application: the address to open, once, in this browser',
    access: { permission: 'clients:update', fresh: true, session: true },
    params: z.object({ clientId: plainText(255, 1) }),
    response: z.object({
      id: z.string(),
      /** The address of the authorization, with PKCE. It counts for this session alone. */
      url: z.string(),
      expiresAt: instant,
    }),
    errors: ['APPLICATION_NOT_FOUND', 'SIGN_IN_CANNOT_BE_TESTED'],
  },
  finishTestSignIn: {
    method: 'POST',
    path: '/admin/test-sign-ins/:id',
    summary:
      'End a sign-in that tries an application: its code is used up, and what the application would learn is answered; no token is issued',
    access: { permission: 'clients:update', session: true },
    params: z.object({ id: plainText(64, 1) }),
    body: z.strictObject({ code: plainText(200, 1) }),
    response: TestedSignIn,
    errors: ['TEST_SIGN_IN_NOT_FOUND'],
  },
})
