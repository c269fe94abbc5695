import { z } from 'zod'
import { errorsOf } from '../../../core/errors.ts'
import { emailInput, nameInput, plainText, urlInput } from '../../../core/wire.ts'
import { contract, jsonOrRedirect } from '../../../http/contract.ts'
import { User } from '../../../identity/users/contract.ts'
import { TwoFactorRedirect } from '../../attempts/contract.ts'
import { Session } from '../../sessions/contract.ts'

/** The request that Better Auth's client sends for a magic link. `metadata` is ignored. */
export const AskForLink = z.object({
  email: emailInput,
  name: nameInput.optional(),
  callbackURL: urlInput.optional(),
  newUserCallbackURL: urlInput.optional(),
  errorCallbackURL: urlInput.optional(),
})

/** If the call creates an account, the body may also contain fields that users can set themselves (`users.fields`). */
export const SignInEmailOtp = z.looseObject({
  email: emailInput,
  otp: plainText(16),
  name: nameInput.optional(),
  rememberMe: z.boolean().optional(),
})

export const mailSignInContract = contract('Sign-up and sign-in', {
  signInMagicLink: {
    method: 'POST',
    path: '/sign-in/magic-link',
    summary: 'Mail a link and a code that sign the person in, in this browser',
    access: 'public',
    body: AskForLink,
    response: z.object({ status: z.boolean() }),
    errors: ['SIGN_IN_BY_MAIL_IS_NOT_ENABLED', 'INVALID_EMAIL'],
    limit: 'strict',
    proofOfWork: 'mail-sign-in',
    urls: ['callbackURL', 'newUserCallbackURL', 'errorCallbackURL'],
    startsSession: true,
  },
  sendVerificationOtp: {
    method: 'POST',
    path: '/email-otp/send-verification-otp',
    summary: 'Mail a link and a code that sign the person in, in this browser; only the type `sign-in` is supported',
    access: 'public',
    body: z.object({ email: emailInput, type: plainText(40) }),
    response: z.object({ success: z.boolean() }),
    errors: ['SIGN_IN_BY_MAIL_IS_NOT_ENABLED', 'INVALID_EMAIL', 'ONLY_CODES_FOR_SIGN_IN_ARE_SENT'],
    limit: 'strict',
    proofOfWork: 'mail-sign-in',
    startsSession: true,
  },
  signInEmailOtp: {
    method: 'POST',
    path: '/sign-in/email-otp',
    summary: 'Sign in with the mailed code, in the browser that requested it',
    access: 'public',
    body: SignInEmailOtp,
    response: z.union([z.object({ token: z.string(), user: User }), TwoFactorRedirect]),
    errors: [
      'SIGN_IN_BY_MAIL_IS_NOT_ENABLED',
      'INVALID_EMAIL',
      'INVALID_OTP',
      'OTP_EXPIRED',
      'TOO_MANY_ATTEMPTS',
      'BANNED_USER',
      'TOO_MANY_WRONG_PASSWORDS_RESET_YOUR_PASSWORD',
    ],
    limit: 'strict',
    startsSession: true,
  },
  verifyMagicLink: {
    method: 'GET',
    path: '/magic-link/verify',
    changes: true,
    summary: 'Sign in with the mailed link, in the browser that requested it; redirects if a callbackURL is given',
    access: 'public',
    query: z.object({
      token: plainText(64),
      callbackURL: urlInput.optional(),
      newUserCallbackURL: urlInput.optional(),
      errorCallbackURL: urlInput.optional(),
      timeZone: plainText(64).optional().describe('The IANA name of the time zone of the browser that requested the mail'),
    }),
    response: jsonOrRedirect(z.union([z.object({ token: z.string(), session: Session, user: User }), TwoFactorRedirect])),
    errors: ['SIGN_IN_BY_MAIL_IS_NOT_ENABLED', '401 INVALID_TOKEN', 'OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED', 'BANNED_USER'],
    urls: ['callbackURL', 'newUserCallbackURL', 'errorCallbackURL'],
  },
})

export const mailSignInErrors = errorsOf({
  SIGN_IN_BY_MAIL_IS_NOT_ENABLED: [400, 'Sign-in by mail is not enabled'],
  INVALID_OTP: [400, 'Invalid OTP'],
  OTP_EXPIRED: [400, 'OTP expired'],
  TOO_MANY_ATTEMPTS: [403, 'Too many attempts'],
  ONLY_CODES_FOR_SIGN_IN_ARE_SENT: [400, 'Only codes for sign-in are sent'],
  OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED: [403, 'Open the link in the browser in which you asked for it'],
})

/** The section `mailSignIn` of the configuration. */
export const mailSignInConfig = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'People may sign in with a link or code that is sent to their address, for 10 minutes, in the browser that asked.',
      )
      .meta({ weakened: 'on' }),
    signUp: z
      .boolean()
      .default(false)
      .describe('New people get an account with their first sign-in by mail, where `accounts.signUpEnabled` allows it.')
      .meta({ weakened: 'on' }),
  })
  .prefault({})
export type MailSignInConfig = z.output<typeof mailSignInConfig>

/**
 * Descriptions and examples for the API document. They are kept outside of the contract, because pages load the contract and do not need
 * them.
 */
export const mailSignInDocumentation = {
  signInMagicLink: {
    description:
      'Only where `mailSignIn.enabled` is on. The answer does not reveal whether an address has an account. The link and the code work for ten minutes, once, and only in the browser that requested them, because its cookie has to be sent with them. A new request invalidates the previous one.',
    example: { body: { email: 'ada@example.com', callbackURL: '/account' }, response: { status: true } },
  },
  sendVerificationOtp: {
    description: 'Sends the same mail as `/sign-in/magic-link`, with the same code.',
    example: { body: { email: 'ada@example.com', type: 'sign-in' }, response: { success: true } },
  },
  signInEmailOtp: {
    description:
      'Three wrong codes end the sign-in by mail, including its link. The first sign-in verifies the address. If another person created the account in advance, what they left in it is removed. A person with a second factor is asked for it next.',
  },
  verifyMagicLink: {
    description:
      'In another browser the link stays valid. The error asks the person to open it in the browser that requested it.',
  },
}
