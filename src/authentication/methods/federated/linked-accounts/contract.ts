import { z } from 'zod'
import { instant, plainText } from '../../../../core/wire.ts'
import { contract } from '../../../../http/contract.ts'

/**
 * A sign-in method of a user: the password (`credential`) or an account at an identity provider. `accountId` is the id of the account at
 * the provider. `providerId` has the same value as `provider`.
 */
export const SignInMethod = z.object({
  id: z.string(),
  provider: z.string(),
  providerId: z.string(),
  userId: z.string(),
  createdAt: instant,
  updatedAt: instant,
  accountId: z.string(),
  scopes: z.array(z.string()),
})

/**
 * Selects an account of the user by its provider. If the user has several accounts there, `accountId` selects one of them: it is the
 * account's id at the provider, or the id of its row here. `accountId` may also be given without a provider.
 */
const choice = { providerId: plainText(64, 1).optional(), accountId: plainText(255, 1).optional() }

const isOne = (given: { readonly providerId?: string | undefined; readonly accountId?: string | undefined }) =>
  given.providerId !== undefined || given.accountId !== undefined
const needed = 'providerId or accountId is needed'

export const UnlinkAccount = z.object(choice).refine(isOne, needed)
/** `userId` is accepted and ignored. The user of the session always counts. */
export const AccountChoice = z.object({ ...choice, userId: plainText(64).optional() }).refine(isOne, needed)

export const signInMethodContract = contract('Linked accounts', {
  listAccounts: {
    method: 'GET',
    path: '/list-accounts',
    summary: 'List the sign-in methods of the signed-in user',
    access: { permission: 'identities:read' },
    response: z.array(SignInMethod),
    errors: [],
  },
  unlinkAccount: {
    method: 'POST',
    path: '/unlink-account',
    summary: 'Remove a sign-in method; needs a recent proof, and another method has to remain',
    access: { permission: 'identities:update', session: true },
    body: UnlinkAccount,
    response: z.object({ status: z.boolean() }),
    errors: ['SESSION_IS_NOT_FRESH', 'YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT', 'ACCOUNT_NOT_FOUND'],
  },
})

/** This contract is not part of `signInMethodContract`, because the sign-in pages load that contract and do not need these calls. */
export const identityAdministrationContract = contract('Users', {
  adminListIdentities: {
    method: 'GET',
    path: '/admin/users/:id/identities',
    summary: 'List the sign-in methods of a user, without tokens and hashes',
    access: { permission: 'users:read' },
    params: z.object({ id: plainText(64, 1) }),
    response: z.object({ identities: z.array(SignInMethod) }),
    errors: ['NOT_FOUND'],
  },
})
