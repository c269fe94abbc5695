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

/** With `trustDevice` this browser is remembered, and needs no second factor for a while. */
export const VerifyTotp = z.object({ code: plainText(64), trustDevice: z.boolean().optional() })

const proofProblems = [
  'SESSION_IS_NOT_FRESH',
  'INVALID_PASSWORD',
  'CREDENTIAL_ACCOUNT_NOT_FOUND',
  'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
] as const

/** The errors of calls that accept a code in a pending sign-in or a session. */
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
    summary: 'Add an authenticator app; it counts, with its recovery codes, after its first code is verified',
    access: 'public',
    body: EnableTwoFactor,
    response: z.object({ method: z.literal('totp'), totpURI: z.string(), backupCodes: z.array(z.string()) }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'TOTP_ALREADY_ENABLED', 'INVALID_TWO_FACTOR_COOKIE', ...proofProblems],
    limit: 'strict',
  },
  getTotpUri: {
    method: 'POST',
    path: '/two-factor/get-totp-uri',
    summary: 'Show the secret of the authenticator app again, for another device; the user is notified by mail',
    access: { permission: 'identities:update', session: true },
    body: z.object({ password }),
    response: z.object({ totpURI: z.string() }),
    errors: ['TOTP_NOT_ENABLED', ...proofProblems],
    limit: 'strict',
  },
  replace: {
    method: 'POST',
    path: '/two-factor/replace',
    summary: 'Start to replace the authenticator app; the previous app counts until the first code of the new app is confirmed',
    access: { permission: 'identities:update', session: true },
    body: ReplaceApp,
    response: z.object({ totpURI: z.string() }),
    errors: ['TOTP_NOT_ENABLED', ...proofProblems],
    limit: 'strict',
  },
  confirmReplacement: {
    method: 'POST',
    path: '/two-factor/confirm-replacement',
    summary: 'Confirm the first code of the new authenticator app, in the session that requested it; the previous app is removed',
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
    summary: 'Verify a code of the authenticator app: to finish adding it, to sign in, or in a session; each code works once',
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
    summary:
      'Remove the authenticator app; if it was the last second factor, recovery codes and remembered browsers are removed too',
    access: { permission: 'identities:update', session: true },
    body: z.object({ password }),
    response: z.object({ status: z.boolean() }),
    errors: ['THE_LAST_SECOND_FACTOR_CANNOT_BE_REMOVED', ...proofProblems],
    limit: 'strict',
  },
  status: {
    method: 'GET',
    path: '/two-factor/status',
    summary: 'Get the second factors of the signed-in user',
    access: { permission: 'identities:read', session: true },
    response: z.object({
      /** True if the password alone is not enough to sign in. */
      isEnabled: z.boolean(),
      /** The names of the second factors that the user can use. */
      methods: z.array(z.string()),
      /** The time at which the authenticator app was set up; null if the user has none. */
      totpSince: instant.nullable(),
      recoveryCodes: z.object({ left: z.int(), since: instant }).nullable(),
      /**
       * The time from which the person's roles give no permissions until the person has a second factor. Null if none is required, or if
       * the person has one.
       */
      dueAt: instant.nullable(),
      /** The number of the user's remembered browsers. The user is not asked for a second factor in them. */
      rememberedBrowsers: z.int(),
    }),
    errors: [],
  },
})

export const totpErrors = errorsOf({
  TOTP_NOT_ENABLED: [400, 'TOTP not enabled'],
  // The specification prescribes this error code, so it is not derived from the message.
  TOTP_ALREADY_ENABLED: [400, 'TOTP is already enabled'],
  INVALID_CODE: [401, 'Invalid code'],
})

export const totpEvents = defineEvents({
  'totp.enabled': {
    summary: 'A user verified the first code of a new authenticator app, which is a second factor from now on.',
    subject: 'user',
    data: z.object({}),
  },
  'totp.replaced': {
    summary: 'A user verified the first code of another authenticator app, which replaced the previous one.',
    subject: 'user',
    data: z.object({}),
  },
  'totp.shown': {
    summary: 'The secret of the authenticator app was shown again, in a session with a recent proof.',
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
      'Needs a fresh session or the password. A person with a second factor has to have given it in this session. The call also works in a sign-in that has to add a second factor first. `totpURI` is the content of the QR code. The secret and the codes are shown only once. Nothing counts before `verify-totp`. Another call before that replaces both.',
    example: {
      body: { password: 'correct horse battery staple' },
      response: { method: 'totp', totpURI, backupCodes: ['k3m9x-p7w2q', 'b8n4t-z6r5h'] },
    },
  },
  replace: {
    description:
      'Needs the same proof as `enable`. Nothing changes before `confirm-replacement`, which has to follow within an hour. Another call replaces the pending secret. Recovery codes stay.',
    example: { body: { password: 'correct horse battery staple' }, response: { totpURI } },
  },
  confirmReplacement: {
    description:
      'The session gets a new token, remembered browsers are forgotten, and the user is notified by mail. Other sessions stay. The new app does not count as a recent proof in this session.',
    example: {
      body: { code: '287082' },
      response: { token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', user: { ...exampleUser, twoFactorEnabled: true } },
    },
  },
  getTotpUri: {
    description:
      'Needs the same proof as `enable`. A copy of the secret generates the same codes, so the user is notified by mail. `replace` does not show the present secret.',
    example: { body: { password: 'correct horse battery staple' }, response: { totpURI } },
  },
  verifyTotp: {
    description:
      'The code is for the sign-in that waits in this browser (identified by a cookie), or else for the session of the call. The session gets a new token and is then fresh. The first code activates the authenticator app together with its recovery codes, and ends the other sessions of the user. Codes of the time steps before and after are accepted too. A code works once.',
    example: {
      body: { code: '287082', trustDevice: true },
      response: { token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', user: { ...exampleUser, twoFactorEnabled: true } },
    },
  },
  disable: {
    description:
      'The second factor must have been given in this session within `sessions.freshAgeSeconds`. If a password is sent, it has to be correct. After the removal a password alone signs in, unless a second factor is required of the user.',
    example: { body: { password: 'correct horse battery staple' }, response: { status: true } },
  },
  status: {
    description:
      '`methods` contains those of `totp`, `passkey`, `security-key`, `mail-code` and `recovery-code` that the user has. Codes and secrets are never shown again.',
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
