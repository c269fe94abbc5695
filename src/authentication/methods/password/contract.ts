import { z } from 'zod'
import { emailInput, nameInput, passwordInput, pictureInput, urlInput } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'
import { User, userShapes } from '../../../identity/users/contract.ts'
import { usernameInput } from '../../../identity/users/names/contract.ts'
import { TwoFactorRedirect } from '../../attempts/contract.ts'

/** Beside these, the fields that `users.fields` lets users write; other names are ignored. */
export const SignUpEmail = z
  .looseObject({
    name: nameInput,
    email: emailInput,
    password: passwordInput,
    image: pictureInput.nullish(),
    callbackURL: urlInput.optional(),
    rememberMe: z.boolean().optional(),
    /** Read where users have names. */
    username: z.unknown().optional(),
    displayUsername: z.unknown().optional(),
  })
  .register(userShapes, { shape: 'sign-up' })

export const SignInEmail = z.object({
  email: emailInput,
  password: passwordInput,
  callbackURL: urlInput.optional(),
  rememberMe: z.boolean().optional(),
})

export const SignInUsername = z.object({
  username: usernameInput,
  password: passwordInput,
  callbackURL: urlInput.optional(),
  rememberMe: z.boolean().optional(),
})

/** The answer of a sign-in that started a session. */
export const SignedIn = z.object({ redirect: z.boolean(), token: z.string(), url: z.string().optional(), user: User })

export const signInContract = contract('Sign-up and sign-in', {
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
      'PASSWORD_WAS_LEAKED',
      'USER_ALREADY_EXISTS',
      '400 USERNAME_TOO_SHORT',
      '400 USERNAME_TOO_LONG',
      '400 INVALID_USERNAME',
      'INVALID_DISPLAY_USERNAME',
      'USERNAME_IS_ALREADY_TAKEN',
    ],
    limit: 'strict',
    proofOfWork: 'sign-up',
    urls: ['callbackURL'],
    startsSession: true,
  },
  signInEmail: {
    method: 'POST',
    path: '/sign-in/email',
    summary: 'Sign in with email and password',
    access: 'public',
    body: SignInEmail,
    response: z.union([SignedIn, TwoFactorRedirect]),
    errors: [
      'EMAIL_AND_PASSWORD_IS_NOT_ENABLED',
      'INVALID_EMAIL',
      'INVALID_EMAIL_OR_PASSWORD',
      'BANNED_USER',
      'EMAIL_NOT_VERIFIED',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
    ],
    limit: 'strict',
    urls: ['callbackURL'],
    startsSession: true,
  },
  signInUsername: {
    method: 'POST',
    path: '/sign-in/username',
    summary: 'Sign in with user name and password',
    access: 'public',
    body: SignInUsername,
    response: z.union([SignedIn, TwoFactorRedirect]),
    errors: [
      'USER_NAMES_ARE_NOT_ENABLED',
      'EMAIL_AND_PASSWORD_IS_NOT_ENABLED',
      '422 USERNAME_TOO_SHORT',
      '422 USERNAME_TOO_LONG',
      '422 INVALID_USERNAME',
      'INVALID_USERNAME_OR_PASSWORD',
      'BANNED_USER',
      'EMAIL_NOT_VERIFIED',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
    ],
    limit: 'strict',
    urls: ['callbackURL'],
    startsSession: true,
  },
})
