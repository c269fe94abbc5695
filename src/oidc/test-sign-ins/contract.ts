import { z } from 'zod'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { ClaimsPreview } from '../clients/contract.ts'

/** The data that the application would have received from an administrator's test sign-in. */
export const TestedSignIn = ClaimsPreview.extend({
  clientId: z.string(),
  /** Granted scopes; `requested` are those that the application may request. */
  scopes: z.array(z.string()),
  requested: z.array(z.string()),
  /** Authentication methods of the person, RFC 8176; empty where unknown. */
  amr: z.array(z.string()),
  /** Authentication class; null where the token has none. */
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
      /** The authorization address, with PKCE; it is only valid in this session. */
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
