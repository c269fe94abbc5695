import { z } from 'zod'
import { errorsOf } from '../../../core/errors.ts'
import { defineEvents } from '../../../core/events/types.ts'
import { passwordInput, plainText } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'
import { exampleUser, User } from '../../../identity/users/contract.ts'

/**
 * With `disableSession` the code is used without starting a session. With `trustDevice` this browser is remembered, and needs no second
 * factor for a while.
 */
export const VerifyBackupCode = z.object({
  code: plainText(64),
  disableSession: z.boolean().optional(),
  trustDevice: z.boolean().optional(),
})

export const recoveryCodeContract = contract('Second factors', {
  verifyBackupCode: {
    method: 'POST',
    path: '/two-factor/verify-backup-code',
    summary: 'Use a recovery code in place of the second factor, at a sign-in or in a session; each code works once',
    access: 'public',
    body: VerifyBackupCode,
    response: z.object({
      token: z.string().nullable(),
      user: User,
      backupCodesLeft: z.int(),
      /** True if so few unused codes are left that the person should make new ones. */
      fewBackupCodesLeft: z.boolean(),
    }),
    errors: [
      'INVALID_TWO_FACTOR_COOKIE',
      'BACKUP_CODES_NOT_ENABLED',
      'INVALID_BACKUP_CODE',
      'BANNED_USER',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
    ],
    limit: 'strict',
    startsSession: true,
  },
  generateBackupCodes: {
    method: 'POST',
    path: '/two-factor/generate-backup-codes',
    summary: 'Create new recovery codes, which are shown once; earlier codes stop working',
    access: { permission: 'identities:update', session: true },
    body: z.object({ password: passwordInput.optional() }),
    response: z.object({ status: z.literal(true), backupCodes: z.array(z.string()) }),
    errors: [
      'TWO_FACTOR_NOT_ENABLED',
      'SESSION_IS_NOT_FRESH',
      'INVALID_PASSWORD',
      'CREDENTIAL_ACCOUNT_NOT_FOUND',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
    ],
    limit: 'strict',
  },
})

export const recoveryCodeErrors = errorsOf({
  // The specification prescribes these two error codes, so they are not derived from the messages.
  BACKUP_CODES_NOT_ENABLED: [400, "Backup codes aren't enabled"],
  TWO_FACTOR_NOT_ENABLED: [400, "Two factor isn't enabled"],
  INVALID_BACKUP_CODE: [401, 'Invalid backup code'],
})

export const recoveryCodeEvents = defineEvents({
  'recovery_codes.generated': {
    summary: 'A user created new recovery codes. Earlier codes stopped working.',
    subject: 'user',
    data: z.object({}),
  },
  'recovery_code.used': {
    summary: 'A recovery code was used in place of a second factor.',
    subject: 'user',
    data: z.object({ left: z.int().describe('the number of codes that are still unused') }),
  },
})

const codes = ['k3m9x-p7w2q', 'b8n4t-z6r5h', 'j2v7c-f9d3g', 'y5s8e-a4u6k', 'q9w3n-m7x2b', 't6h4r-c8v5j']
const moreCodes = ['g7d2p-e3y9s', 'n5k8a-u4z6m', 'x3b9w-h7q2t', 'r6f4j-s8g5v']

/** Descriptions and examples for the API document. */
export const recoveryCodeDocumentation = {
  verifyBackupCode: {
    description:
      'The code is for the sign-in that waits in this browser (identified by a cookie), or else for the session of the call, which is then fresh. Blanks, dashes and letter case of the code make no difference. The user gets a mail after each use that leaves three codes or fewer. `disableSession` uses the code without starting a session.',
    example: {
      body: { code: 'k3m9x-p7w2q' },
      response: {
        token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j',
        user: { ...exampleUser, twoFactorEnabled: true },
        backupCodesLeft: 9,
        fewBackupCodesLeft: false,
      },
    },
  },
  generateBackupCodes: {
    description:
      'Only for people with a second factor who have given it in this session within `sessions.freshAgeSeconds`. If a password is sent, it has to be correct.',
    example: {
      body: { password: 'correct horse battery staple' },
      response: { status: true, backupCodes: [...codes, ...moreCodes] },
    },
  },
}
