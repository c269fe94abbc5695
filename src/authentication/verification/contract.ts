import { z } from 'zod'
import { emailInput, plainText, urlInput } from '../../core/wire.ts'
import { contract, jsonOrRedirect } from '../../http/contract.ts'
import { User } from '../../identity/users/contract.ts'

export const verificationContract = contract('Email verification', {
  sendVerificationEmail: {
    method: 'POST',
    path: '/send-verification-email',
    summary: 'Mail a link that verifies the address',
    access: 'public',
    body: z.object({ email: emailInput, callbackURL: urlInput.optional() }),
    response: z.object({ status: z.boolean() }),
    errors: [
      'VERIFICATION_EMAIL_ISNT_ENABLED',
      'INVALID_EMAIL',
      'YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL',
      'YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_YOUR_OWN_EMAIL',
    ],
    limit: 'strict',
    urls: ['callbackURL'],
  },
  verifyEmail: {
    method: 'GET',
    path: '/verify-email',
    summary:
      'Verify or change an address with the token from the mail, in a session or browser of the account; redirects when a callbackURL is given',
    access: 'public',
    query: z.object({ token: plainText(4096), callbackURL: urlInput.optional() }),
    response: jsonOrRedirect(z.object({ status: z.boolean(), user: User.nullable() })),
    errors: ['TOKEN_EXPIRED', 'INVALID_TOKEN', 'USER_NOT_FOUND', 'BANNED_USER', 'COULDNT_UPDATE_YOUR_EMAIL'],
    urls: ['callbackURL'],
  },
  changeEmail: {
    method: 'POST',
    path: '/change-email',
    summary: 'Change the address: at once while it is unverified, else after a confirmation from the current one',
    access: { permission: 'account:update', fresh: true },
    body: z.object({ newEmail: emailInput, callbackURL: urlInput.optional() }),
    response: z.object({ status: z.boolean() }),
    errors: [
      'CHANGE_EMAIL_IS_DISABLED',
      'INVALID_EMAIL',
      'EMAIL_IS_THE_SAME',
      'COULDNT_UPDATE_YOUR_EMAIL',
      'VERIFICATION_EMAIL_ISNT_ENABLED',
    ],
    limit: 'strict',
    urls: ['callbackURL'],
  },
})
