import { z } from 'zod'
import { instant, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'

/** A way in: the password (`credential`) or an account at a provider. `accountId` is the provider's. */
export const LinkedAccount = z.object({
  id: z.string(),
  provider: z.string(),
  createdAt: instant,
  updatedAt: instant,
  accountId: z.string(),
  scopes: z.array(z.string()),
})

export const UnlinkAccount = z.object({ providerId: plainText(64), accountId: plainText(255).optional() })

export const linkedAccountContract = contract({
  listAccounts: {
    method: 'GET',
    path: '/list-accounts',
    summary: "The caller's ways in",
    access: 'session',
    response: z.array(LinkedAccount),
    errors: [],
  },
  unlinkAccount: {
    method: 'POST',
    path: '/unlink-account',
    summary: 'Remove a way in; needs a fresh session, and another way in must remain',
    access: 'fresh-session',
    body: UnlinkAccount,
    response: z.object({ status: z.boolean() }),
    errors: ['YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT', 'ACCOUNT_NOT_FOUND'],
  },
})
