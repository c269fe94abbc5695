import { z } from 'zod'
import { emailInput, passwordInput, urlInput } from '../../../../core/wire.ts'
import { contract, redirect } from '../../../../http/contract.ts'
import { signInContract } from '../contract.ts'
import { newPasswordContract } from '../new-password/contract.ts'

/** Parameters of the address of a hosted page, which its form keeps: they say where the person goes afterwards. */
export const PageQuery = z.object({
  interaction: z.string().max(64).optional(),
  callbackURL: urlInput.optional(),
  ui_locales: z.string().max(256).optional(),
})

/** A field that was not left empty. */
const filled = z.string().min(1)

/** The forms of hosted pages that work without their script: each does what a call does, and redirects. */
export const pageFormContract = contract('Sign-up and sign-in', {
  signInForm: {
    method: 'POST',
    path: '/sign-in',
    summary: 'The form of the sign-in page',
    access: 'public',
    encoding: 'form',
    query: PageQuery,
    body: z.object({
      email: filled.pipe(emailInput),
      password: filled.pipe(passwordInput),
      rememberMe: z.string().max(16).optional(),
    }),
    response: redirect,
    errors: signInContract.signInEmail.errors,
    limit: 'strict',
    countedAs: signInContract.signInEmail.path,
    urls: ['callbackURL'],
    startsSession: true,
    pageForm: true,
    hidden: true,
  },
  forgotPasswordForm: {
    method: 'POST',
    path: '/forgot-password',
    summary: 'The form of the page for a forgotten password',
    access: 'public',
    encoding: 'form',
    query: PageQuery,
    body: z.object({ email: filled.pipe(emailInput) }),
    response: redirect,
    errors: newPasswordContract.requestPasswordReset.errors,
    limit: 'strict',
    countedAs: newPasswordContract.requestPasswordReset.path,
    proofOfWork: 'reset',
    urls: ['callbackURL'],
    pageForm: true,
    hidden: true,
  },
})
