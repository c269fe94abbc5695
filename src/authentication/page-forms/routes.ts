import type { z } from 'zod'
import type { Principal } from '../../access/principal.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import { Redirect } from '../../http/contract.ts'
import type { Cookies } from '../../http/cookies.ts'
import { bind } from '../../http/handlers.ts'
import { setOutcome } from '../../http/sign-in-outcome.ts'
import type { TrustedUrls } from '../../http/trusted-url.ts'
import type { Social } from '../methods/federated/index.ts'
import type { PasswordService, SignIn, SignUp } from '../methods/password/index.ts'
import { type PageQuery as PageQuerySchema, pageFormContract } from './contract.ts'

type PageQuery = z.output<typeof PageQuerySchema>

/** The address of a hosted page with the parameters about the address to continue at. */
const pageUrl = (path: string, query: PageQuery, more: Readonly<Record<string, string>> = {}): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '')
  const text = new URLSearchParams([...Object.entries(more), ...given]).toString()
  return text === '' ? path : `${path}?${text}`
}

/**
 * The choice of the pages' script (`admin-ui/hosted/return-url.ts`): the sign-in of an application, else the address in the page's
 * parameters, else the account.
 */
const destinationOf = ({ interaction, callbackURL }: PageQuery): string =>
  interaction ? `/interaction/${encodeURIComponent(interaction)}` : callbackURL || '/account'

interface Deps {
  readonly passwordSignIn: Pick<SignIn, 'withEmail'>
  readonly accounts: Pick<SignUp, 'signUp'>
  readonly passwordService: Pick<PasswordService, 'requestReset'>
  /** Undefined without providers. */
  readonly social?: Pick<Social, 'beginSignIn'> | undefined
  readonly trustedUrls: Pick<TrustedUrls, 'absolute'>
}

export const pageFormRoutes = ({ passwordSignIn, accounts, passwordService, social, trustedUrls }: Deps) => {
  const own = new URL(trustedUrls.absolute('/') ?? '').origin
  /** Target of a mailed link. On gatehouse's own origin, a page that confirms the success. */
  const afterVerification = (query: PageQuery): string => {
    const destination = destinationOf(query)
    return URL.parse(destination, own)?.origin === own ? pageUrl('/verified', query) : destination
  }
  /** Redirects to a provider, whose errors come back to the error page. */
  const goToProvider = async (principal: Principal, provider: string, query: PageQuery, cookies: Cookies) => {
    if (social === undefined) throw coreErrors.error('NOT_FOUND')
    const input = { provider, callbackURL: destinationOf(query), errorCallbackURL: pageUrl('/error', query) }
    return new Redirect(await social.beginSignIn(principal, input, cookies))
  }
  return bind(pageFormContract, {
    signInForm: async (principal, { body: { provider, email = '', password = '', rememberMe }, query, cookies }) => {
      if (provider !== undefined) return goToProvider(principal, provider, query, cookies)
      try {
        const input = { email, password, rememberMe: rememberMe !== undefined, callbackURL: afterVerification(query) }
        const { outcome } = await passwordSignIn.withEmail(principal, input)
        setOutcome(cookies, outcome)
        return new Redirect(outcome.kind === 'pending' ? pageUrl('/two-factor', query) : destinationOf(query))
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'EMAIL_NOT_VERIFIED') throw error
        return new Redirect(pageUrl('/check-email', query, { email }))
      }
    },
    signUpForm: async (principal, { body: { provider, name = '', email = '', password = '' }, query, cookies }) => {
      if (provider !== undefined) return goToProvider(principal, provider, query, cookies)
      const { started } = await accounts.signUp(principal, { name, email, password, callbackURL: afterVerification(query) })
      if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
      cookies.rememberDevice()
      return new Redirect(started === undefined ? pageUrl('/check-email', query, { email }) : destinationOf(query))
    },
    forgotPasswordForm: async (principal, { body: { email }, query }) => {
      await passwordService.requestReset(principal, email, pageUrl('/reset-password', query))
      return new Redirect(pageUrl('/forgot-password', query, { email, sent: '1' }))
    },
  })
}
