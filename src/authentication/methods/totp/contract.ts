import { z } from 'zod'
import { instant, nameInput, passwordInput, plainText } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'
import { User } from '../../../identity/users/contract.ts'

const password = passwordInput.optional()

export const ReplaceApp = z.object({
  password,
  issuer: nameInput
    .max(64)
    .refine((name) => !name.includes(':'), 'must not contain a colon')
    .optional(),
})
export const EnableTwoFactor = ReplaceApp.extend({ method: z.literal('totp').optional() })

/** `trustDevice`: this browser is not asked for a second factor again for a while. */
export const VerifyTotp = z.object({ code: plainText(64), trustDevice: z.boolean().optional() })

const proofProblems = [
  'SESSION_IS_NOT_FRESH',
  'INVALID_PASSWORD',
  'CREDENTIAL_ACCOUNT_NOT_FOUND',
  'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
] as const

/** What refuses a code, which is the proof of a sign-in that waits or of a session. */
const codeProblems = [
  'INVALID_TWO_FACTOR_COOKIE',
  'TOTP_NOT_ENABLED',
  '401 INVALID_CODE',
  'BANNED_USER',
  'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
] as const

export const totpContract = contract('Second factors', {
  enable: {
    method: 'POST',
    path: '/two-factor/enable',
    summary: 'Add an authenticator app: it counts once a code of it is proven, and the recovery codes with it',
    access: 'public',
    body: EnableTwoFactor,
    response: z.object({ method: z.literal('totp'), totpURI: z.string(), backupCodes: z.array(z.string()) }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'TOTP_ALREADY_ENABLED', 'INVALID_TWO_FACTOR_COOKIE', ...proofProblems],
    limit: 'strict',
  },
  getTotpUri: {
    method: 'POST',
    path: '/two-factor/get-totp-uri',
    summary: 'The secret of the authenticator app again, for another device; the owner is told by mail',
    access: { permission: 'identities:update', session: true },
    body: z.object({ password }),
    response: z.object({ totpURI: z.string() }),
    errors: ['TOTP_NOT_ENABLED', ...proofProblems],
    limit: 'strict',
  },
  replace: {
    method: 'POST',
    path: '/two-factor/replace',
    summary: 'Begin to replace the authenticator app: the one before counts until the first code of the new one is confirmed',
    access: { permission: 'identities:update', session: true },
    body: ReplaceApp,
    response: z.object({ totpURI: z.string() }),
    errors: ['TOTP_NOT_ENABLED', ...proofProblems],
    limit: 'strict',
  },
  confirmReplacement: {
    method: 'POST',
    path: '/two-factor/confirm-replacement',
    summary: 'Confirm the first code of the new authenticator app, in the session that asked for it: the one before ends',
    access: { permission: 'identities:update', session: true },
    body: z.object({ code: plainText(64) }),
    response: z.object({ token: z.string(), user: User }),
    errors: codeProblems,
    limit: 'strict',
    startsSession: true,
  },
  verifyTotp: {
    method: 'POST',
    path: '/two-factor/verify-totp',
    summary: 'Prove a code of the authenticator app: to finish adding it, to sign in, or in a session; each works once',
    access: 'public',
    body: VerifyTotp,
    response: z.object({ token: z.string(), user: User }),
    errors: ['UNAUTHORIZED', ...codeProblems],
    limit: 'strict',
    startsSession: true,
  },
  disable: {
    method: 'POST',
    path: '/two-factor/disable',
    summary: 'Remove the authenticator app; with the last second factor recovery codes and remembered browsers go too',
    access: { permission: 'identities:update', session: true },
    body: z.object({ password }),
    response: z.object({ status: z.boolean() }),
    errors: ['THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED', ...proofProblems],
    limit: 'strict',
  },
  status: {
    method: 'GET',
    path: '/two-factor/status',
    summary: 'Second factors of the signed-in user',
    access: { permission: 'identities:read', session: true },
    response: z.object({
      /** True when a password alone does not sign in. */
      isEnabled: z.boolean(),
      /** Names of the methods that can be proven. */
      methods: z.array(z.string()),
      /** Since when there is an authenticator app. */
      totpSince: instant.nullable(),
      recoveryCodes: z.object({ left: z.int(), since: instant }).nullable(),
      /** From when on a role gives nothing without a second factor; null: none is required, or there is one. */
      dueAt: instant.nullable(),
      /** Browsers that are not asked. */
      rememberedBrowsers: z.int(),
    }),
    errors: [],
  },
})
