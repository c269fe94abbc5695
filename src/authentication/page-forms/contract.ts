import { z } from 'zod'
import { looksLikeEmail } from '../../core/web.ts'
import { emailInput, nameInput, passwordInput, plainText, urlInput } from '../../core/wire.ts'
import { contract, redirect } from '../../http/contract.ts'
import { usernameInput } from '../../identity/users/names/contract.ts'
import { socialContract } from '../methods/federated/contract.ts'
import { mailSignInContract } from '../methods/mail-sign-in/contract.ts'
import { signInContract } from '../methods/password/contract.ts'
import { newPasswordContract } from '../methods/password/new-password/contract.ts'

/** The query parameters of a hosted page. The page's form keeps them, because they say where the person continues afterwards. */
export const PageQuery = z.object({
  interaction: z.string().max(64).optional(),
  callbackURL: urlInput.optional(),
  ui_locales: z.string().max(256).optional(),
})

/** A text field that must not be empty. */
const filled = z.string().min(1)

const email = filled.pipe(emailInput)

/** A mail address, or a user name if user names are enabled. The service reports errors in it. */
const identifier = filled.max(1_000).pipe(z.union([emailInput, usernameInput]))

/**
 * The fields of a page that also has buttons for identity providers. A form contains either the typed fields or the chosen provider. It
 * is posted to the URL of the page.
 */
const orProvider = <F extends Readonly<Record<string, z.ZodType>>>(fields: F) =>
  z
    .object({ provider: plainText(64, 1).optional() })
    .extend(z.object(fields).partial().shape)
    .superRefine((posted: Readonly<Record<string, unknown>>, { addIssue }) => {
      if (posted['provider'] !== undefined) return
      for (const name of Object.keys(fields))
        if (posted[name] === undefined) addIssue({ code: 'custom', path: [name], message: 'missing' })
    })

const pageForm = {
  method: 'POST',
  access: 'public',
  encoding: 'form',
  query: PageQuery,
  response: redirect,
  limit: 'strict',
  urls: ['callbackURL'],
  pageForm: true,
  hidden: true,
} as const

/** A form with a chosen provider also counts for the rate limit of the call that starts a sign-in with that provider. */
const withProviders = { countedWith: { field: 'provider', path: socialContract.signInSocial.path }, startsSession: true } as const

/** Forms with which hosted pages work without script. Each form has the effect of a call of the API, and then redirects. */
export const pageFormContract = contract('Sign-up and sign-in', {
  signInForm: {
    ...pageForm,
    ...withProviders,
    path: '/sign-in',
    summary: 'The forms of the sign-in page',
    body: orProvider({ email: identifier, password: filled.pipe(passwordInput) }).extend({
      rememberMe: z.string().max(16).optional(),
    }),
    errors: [...new Set([...signInContract.signInEmail.errors, ...signInContract.signInUsername.errors]), 'PROVIDER_NOT_FOUND'],
    countedAs: signInContract.signInEmail.path,
  },
  signUpForm: {
    ...pageForm,
    ...withProviders,
    path: '/sign-up',
    summary: 'The forms of the sign-up page',
    // The script of the page checks these fields in the same way. Programs call the API itself, which accepts more values.
    body: orProvider({
      name: filled.pipe(nameInput),
      email: filled.refine(looksLikeEmail).pipe(emailInput),
      password: filled.pipe(passwordInput),
    }).extend({ username: usernameInput.max(1_000).optional() }),
    errors: [...signInContract.signUpEmail.errors, 'PROVIDER_NOT_FOUND'],
    countedAs: signInContract.signUpEmail.path,
    proofOfWork: 'sign-up',
  },
  mailSignInForm: {
    ...pageForm,
    path: '/mail-sign-in',
    summary: 'The forms of the page for signing in by mail: one requests the mail, the other one takes its code',
    body: z.object({ email, code: filled.max(16).optional() }),
    errors: [...new Set([...mailSignInContract.signInMagicLink.errors, ...mailSignInContract.signInEmailOtp.errors])],
    startsSession: true,
    countedAs: mailSignInContract.signInMagicLink.path,
    countedWith: { field: 'code', path: mailSignInContract.signInEmailOtp.path },
    proofOfWork: 'mail-sign-in',
  },
  forgotPasswordForm: {
    ...pageForm,
    path: '/forgot-password',
    summary: 'The form of the page for a forgotten password',
    body: z.object({ email }),
    errors: newPasswordContract.requestPasswordReset.errors,
    countedAs: newPasswordContract.requestPasswordReset.path,
    proofOfWork: 'reset',
  },
})
