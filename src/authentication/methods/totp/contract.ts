import { z } from 'zod'
import { errorsOf } from '../../../core/errors.ts'
import { defineEvents } from '../../../core/events/types.ts'
import { instant, nameInput, passwordInput, plainText } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'
import { exampleUser, User } from '../../../identity/users/contract.ts'

const password = passwordInput.optional()

export const ReplaceApp = z.object({
  password,
  issuer: nameInput
    .max(64)
    .refine((name) => !name.includes(':'), 'must not contain a colon')
    .optional(),
})
export const EnableTwoFactor = ReplaceApp.extend({ method: z.literal('totp').optional() })

/** `trustDevice` asks to remember this browser, so that it needs no second factor for a while. */
export const VerifyTotp = z.object({ code: plainText(64), trustDevice: z.boolean().optional() })

const proofProblems = [
  'SESSION_IS_NOT_FRESH',
  'INVALID_PASSWORD',
  'CREDENTIAL_ACCOUNT_NOT_FOUND',
  'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
] as const

/** The errors of a code, which is the proof of a pending sign-in or session. */
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
      /** True if signing in takes more than the password. */
      isEnabled: z.boolean(),
      /** The names of the methods that the user can use. */
      methods: z.array(z.string()),
      /** The time at which the secret of the authenticator app was created. */
      totpSince: instant.nullable(),
      recoveryCodes: z.object({ left: z.int(), since: instant }).nullable(),
      /** The time from which the person's roles have no permissions without a second factor. Null if none is required or the person has one. */
      dueAt: instant.nullable(),
      /** The number of browsers in which the second factor is not asked for. */
      rememberedBrowsers: z.int(),
    }),
    errors: [],
  },
})

export const totpErrors = errorsOf({
  TOTP_NOT_ENABLED: [400, 'TOTP not enabled'],
  // The specification prescribes this code. It is not derived from the message.
  TOTP_ALREADY_ENABLED: [400, 'TOTP is already enabled'],
  INVALID_CODE: [401, 'Invalid code'],
})

export const totpEvents = defineEvents({
  'totp.enabled': {
    summary: 'A user proved the first code of a new authenticator app: it is a second factor of theirs.',
    subject: 'user',
    data: z.object({}),
  },
  'totp.replaced': {
    summary: 'A user proved the first code of another authenticator app, which took the place of the one before.',
    subject: 'user',
    data: z.object({}),
  },
  'totp.shown': {
    summary: 'The secret of the authenticator app was shown again to a session with a recent proof.',
    subject: 'user',
    data: z.object({}),
  },
  'totp.disabled': {
    summary: 'The authenticator app of a user was removed.',
    subject: 'user',
    data: z.object({}),
  },
})

export const totpConfig = z
  .strictObject({
    issuer: nameInput
      .max(64)
      .optional()
      .describe(
        'The name of this installation in authenticator apps. Default: brand.name, or else the host of the public address.',
      ),
  })
  .prefault({})
  .meta({ weakened: 'never' })

export type TotpConfig = z.output<typeof totpConfig>

const totpURI =
  'otpauth://totp/auth.example.com:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=auth.example.com&algorithm=SHA1&digits=6&period=30'

/** Descriptions and examples for the API document. */
export const totpDocumentation = {
  enable: {
    description:
      'In a session that is fresh, or with the password; a person with a second factor must have proven it in this session. Also in a sign-in that has to add a second factor before it goes on. `totpURI` is what a QR code says; secret and codes are shown this once. Nothing counts before `verify-totp`; calling it again before replaces both.',
    example: {
      body: { password: 'correct horse battery staple' },
      response: { method: 'totp', totpURI, backupCodes: ['k3m9x-p7w2q', 'b8n4t-z6r5h'] },
    },
  },
  replace: {
    description:
      'Needs the same proof as `enable`. Nothing changes before `confirm-replacement`, within an hour; calling it again replaces what waits. Recovery codes stay.',
    example: { body: { password: 'correct horse battery staple' }, response: { totpURI } },
  },
  confirmReplacement: {
    description:
      'The session gets a new token, remembered browsers are forgotten, and the owner is told by mail. Other sessions stay. The new app is no recent proof in this session.',
    example: {
      body: { code: '287082' },
      response: { token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', user: { ...exampleUser, twoFactorEnabled: true } },
    },
  },
  getTotpUri: {
    description:
      'Needs the same proof as `enable`. A copy of the secret makes the same codes, so the owner is told by mail; `replace` does not show the present secret.',
    example: { body: { password: 'correct horse battery staple' }, response: { totpURI } },
  },
  verifyTotp: {
    description:
      'For the sign-in that waits in this browser (its cookie), else for the session of the call, which gets a new token and is then fresh. The first code makes the authenticator app count, with the recovery codes given with it, and ends the other sessions of the user. Codes of the step before and after count too; a code works once.',
    example: {
      body: { code: '287082', trustDevice: true },
      response: { token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', user: { ...exampleUser, twoFactorEnabled: true } },
    },
  },
  disable: {
    description:
      'The second factor must have been proven in this session within `sessions.freshAgeSeconds`; a password that is sent must be right. From then on a password alone signs in, unless a second factor is required of the user.',
    example: { body: { password: 'correct horse battery staple' }, response: { status: true } },
  },
  status: {
    description:
      '`methods` holds `totp`, `passkey`, `security-key`, `mail-code` and `recovery-code`, as far as the user has them. Codes and secrets are never shown again.',
    example: {
      response: {
        isEnabled: true,
        methods: ['totp', 'recovery-code'],
        totpSince: '2026-03-02T09:15:00.000Z',
        recoveryCodes: { left: 10, since: '2026-03-02T09:15:00.000Z' },
        dueAt: null,
        rememberedBrowsers: 1,
      },
    },
  },
}
