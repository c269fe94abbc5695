import { z } from 'zod'
import { errorsOf } from '../../../core/errors.ts'
import { defineEvents } from '../../../core/events/types.ts'
import { emailInput, nameInput, passwordInput, pictureInput, urlInput } from '../../../core/wire.ts'
import { contract } from '../../../http/contract.ts'
import { exampleUser, User, userShapes } from '../../../identity/users/contract.ts'
import { usernameInput } from '../../../identity/users/names/contract.ts'
import { TwoFactorRedirect } from '../../attempts/contract.ts'

/** The body may also contain fields that users can set themselves (`users.fields`). All other unknown fields are ignored. */
export const SignUpEmail = z
  .looseObject({
    name: nameInput,
    email: emailInput,
    password: passwordInput,
    image: pictureInput.nullish(),
    callbackURL: urlInput.optional(),
    rememberMe: z.boolean().optional(),
    /** Read only if user names are enabled. */
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

/** The answer to a completed sign-in. */
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

export const passwordErrors = errorsOf({
  INVALID_EMAIL_OR_PASSWORD: [401, 'Invalid email or password'],
  INVALID_USERNAME_OR_PASSWORD: [401, 'Invalid username or password'],
  PASSWORD_TOO_SHORT: [400, 'Password too short'],
  PASSWORD_TOO_LONG: [400, 'Password too long'],
  PASSWORD_TOO_COMMON: [400, 'Password too common'],
  PASSWORD_WAS_LEAKED: [400, 'Password was leaked'],
  BREACHED_LIST_IS_INVALID: [400, 'Breached list is invalid'],
  EMAIL_AND_PASSWORD_IS_NOT_ENABLED: [400, 'Email and password is not enabled'],
  EMAIL_AND_PASSWORD_SIGN_UP_IS_NOT_ENABLED: [400, 'Email and password sign up is not enabled'],
  CREDENTIAL_ACCOUNT_NOT_FOUND: [400, 'Credential account not found'],
  INVALID_PASSWORD: [400, 'Invalid password'],
  USER_ALREADY_HAS_A_PASSWORD: [400, 'user already has a password'],
  RECOVERY_NEEDS_A_VERIFIED_ADDRESS: [400, 'The address of the user was never verified: set a password with set-password'],
  RESET_PASSWORD_ISNT_ENABLED: [400, "Reset password isn't enabled"],
})

export const passwordEvents = defineEvents({
  'user.password_changed': {
    summary: 'A user changed their password and gave the previous one.',
    subject: 'user',
    data: z.object({ areOtherSessionsEnded: z.boolean() }),
  },
  'user.password_reset': {
    summary: 'A password was set without the previous one: with a mailed link, or by an operator.',
    subject: 'user',
    data: z.object({}),
  },
  'user.recovery_link_created': {
    summary: 'An operator created a link with which a user sets a new password.',
    subject: 'user',
    data: z.object({
      expiresAt: z.string(),
      removesSecondFactors: z.boolean().optional().describe('true if the link also removes the second factors'),
    }),
  },
})

/**
 * Descriptions and examples for the API document. They are kept outside of the contract, because pages load the contract and do not need
 * them.
 */
export const signInDocumentation = {
  signUpEmail: {
    description:
      'Signs the new user in, unless the address has to be verified first. In that case `token` is null and a mail was sent. Fields of `users.fields` stand beside the other fields.',
    example: {
      body: { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery staple' },
      response: { token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', user: { ...exampleUser, emailVerified: false } },
    },
  },
  signInEmail: {
    description:
      'Sets the cookie of the session; programs send `token` as `Authorization: Bearer`. An unknown address and a wrong password get the same response.',
    example: {
      body: { email: 'ada@example.com', password: 'correct horse battery staple' },
      response: { redirect: false, token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', user: exampleUser },
    },
  },
  signInUsername: {
    description:
      'Only where `accounts.userNames.mode` is not `off`. All spellings of a name count as the same name. An unknown name and a wrong password get the same response.',
    example: {
      body: { username: 'ada', password: 'correct horse battery staple' },
      response: { redirect: false, token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', user: exampleUser },
    },
  },
}
