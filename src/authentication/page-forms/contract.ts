import { z } from 'zod'
import { looksLikeEmail } from '../../core/web.ts'
import { emailInput, nameInput, passwordInput, plainText, urlInput } from '../../core/wire.ts'
import { contract, redirect } from '../../http/contract.ts'
import { usernameInput } from '../../identity/users/names/contract.ts'
import { socialContract } from '../methods/federated/contract.ts'
import { mailSignInContract } from '../methods/mail-sign-in/contract.ts'
import { signInContract } from '../methods/password/contract.ts'
import { newPasswordContract } from '../methods/password/new-password/contract.ts'

/** The parameters in the address of a hosted page. Its form keeps them, because they say where the person continues after the page. */
export const PageQuery = z.object({
  interaction: z.string().max(64).optional(),
  callbackURL: urlInput.optional(),
  ui_locales: z.string().max(256).optional(),
})

/** A field that is not empty. */
const filled = z.string().min(1)

const email = filled.pipe(emailInput)

/** An address, or a user name where users have names. The service reports errors in either. */
const identifier = filled.max(1_000).pipe(z.union([emailInput, usernameInput]))

/**
 * The fields of a page that also has buttons of providers. A form contains the typed fields or the chosen provider. Both are posted to
 * the address of the page.
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

/** Choosing a provider also counts for the rate limit of the call that starts its sign-in. */
const withProviders = { countedWith: { field: 'provider', path: socialContract.signInSocial.path }, startsSession: true } as const

/** Forms that let hosted pages work without script. Each form has the effect of a call, and then redirects. */
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
    // The script of the page makes the same check. Programs that call the API may send other values.
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
