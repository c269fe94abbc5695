import { z } from 'zod'
import { passwordInput, plainText } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'
import { User } from '../../../identity/users/contract.ts'

/** `disableSession`: the code is used, and no session starts. `trustDevice`: this browser is not asked for a second factor again for a while. */
export const VerifyBackupCode = z.object({
  code: plainText(64),
  disableSession: z.boolean().optional(),
  trustDevice: z.boolean().optional(),
})

export const recoveryCodeContract = contract('Second factors', {
  verifyBackupCode: {
    method: 'POST',
    path: '/two-factor/verify-backup-code',
    summary: 'Use a recovery code in the place of the second factor, to sign in or in a session; each works once',
    access: 'public',
    body: VerifyBackupCode,
    response: z.object({
      token: z.string().nullable(),
      user: User,
      backupCodesLeft: z.int(),
      /** True when it is time for new ones. */
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
    summary: 'Get new recovery codes, shown this once; those before count no more',
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
