import { z } from 'zod'
import { emailInput, nameInput, passwordInput, pictureInput, plainText, urlInput } from '../core/wire.ts'
import { contract } from '../http/contract.ts'
import { User } from '../users/contract.ts'

/** Beside these, the fields that `users.fields` lets users write; other names are ignored. */
export const SignUpEmail = z.looseObject({
  name: nameInput,
  email: emailInput,
  password: passwordInput,
  image: pictureInput.nullish(),
  callbackURL: urlInput.optional(),
  rememberMe: z.boolean().optional(),
})

export const SignInEmail = z.object({
  email: emailInput,
  password: passwordInput,
  callbackURL: urlInput.optional(),
  rememberMe: z.boolean().optional(),
})

export const accountContract = contract({
  signUpEmail: {
    method: 'POST',
    path: '/sign-up/email',
    summary: 'Create a user with email and password',
    access: 'public',
    body: SignUpEmail,
    response: z.object({ token: z.string().nullable(), user: User }),
    errors: [
      'EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED',
      'INVALID_EMAIL',
      'PASSWORD_TOO_SHORT',
      'PASSWORD_TOO_LONG',
      'PASSWORD_TOO_COMMON',
      'USER_ALREADY_EXISTS',
    ],
    limit: 'strict',
    urls: ['callbackURL'],
    startsSession: true,
  },
  signInEmail: {
    method: 'POST',
    path: '/sign-in/email',
    summary: 'Sign in with email and password',
    access: 'public',
    body: SignInEmail,
    response: z.object({ redirect: z.boolean(), token: z.string(), url: z.string().optional(), user: User }),
    errors: [
      'EMAIL_AND_PASSWORD_IS_NOT_ENABLED',
      'INVALID_EMAIL',
      'INVALID_EMAIL_OR_PASSWORD',
      'EMAIL_NOT_VERIFIED',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
    ],
    limit: 'strict',
    urls: ['callbackURL'],
    startsSession: true,
  },
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
    response: z.object({ status: z.boolean(), user: User.nullable() }),
    errors: ['TOKEN_EXPIRED', 'INVALID_TOKEN', 'USER_NOT_FOUND', 'COULDNT_UPDATE_YOUR_EMAIL'],
    urls: ['callbackURL'],
  },
})
