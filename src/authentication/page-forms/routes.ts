import type { z } from 'zod'
import type { Principal } from '../../access/principal.ts'
import { AppError, coreErrors } from '../../core/errors.ts'
import { Redirect } from '../../http/contract.ts'
import type { Cookies } from '../../http/cookies.ts'
import { bind } from '../../http/handlers.ts'
import { setOutcome } from '../../http/sign-in-outcome.ts'
import type { TrustedUrls } from '../../http/trusted-url.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Social } from '../methods/federated/index.ts'
import type { MailSignIn } from '../methods/mail-sign-in/index.ts'
import type { PasswordService, SignIn, SignUp } from '../methods/password/index.ts'
import { type PageQuery as PageQuerySchema, pageFormContract } from './contract.ts'

type PageQuery = z.output<typeof PageQuerySchema>

/** The URL of a hosted page, with the query parameters that say where the person continues afterwards. */
const pageUrl = (path: string, query: PageQuery, more: Readonly<Record<string, string>> = {}): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '')
  const text = new URLSearchParams([...Object.entries(more), ...given]).toString()
  return text === '' ? path : `${path}?${text}`
}

/**
 * The URL at which the person continues: the sign-in of an application, or the URL in the query, or the account pages. The script of the
 * pages chooses in the same way (`admin-ui/hosted/return-url.ts`).
 */
const destinationOf = ({ interaction, callbackURL }: PageQuery): string =>
  interaction ? `/interaction/${encodeURIComponent(interaction)}` : callbackURL || '/account'

interface Deps {
  readonly passwordSignIn: SignIn
  readonly names: Pick<Users['names'], 'isOn'>
  readonly accounts: Pick<SignUp, 'signUp'>
  readonly passwordService: Pick<PasswordService, 'requestReset'>
  /** Undefined if no identity provider is enabled. */
  readonly social?: Pick<Social, 'beginSignIn'> | undefined
  /** Undefined if sign-in by mail is not part of this server. */
  readonly mailSignIn?: MailSignIn | undefined
  readonly trustedUrls: Pick<TrustedUrls, 'absolute'>
}

export const pageFormRoutes = ({ passwordSignIn, names, accounts, passwordService, social, mailSignIn, trustedUrls }: Deps) => {
  const own = new URL(trustedUrls.absolute('/') ?? '').origin
  /** The page to which a mailed link leads. If the person continues on this server, a page in between says that the address was verified. */
  const afterVerification = (query: PageQuery): string => {
    const destination = destinationOf(query)
    return URL.parse(destination, own)?.origin === own ? pageUrl('/verified', query) : destination
  }
  /** Redirects to an identity provider. If the provider reports an error, the browser ends up on the error page. */
  const goToProvider = async (principal: Principal, provider: string, query: PageQuery, cookies: Cookies) => {
    if (social === undefined) throw coreErrors.error('NOT_FOUND')
    const input = { provider, callbackURL: destinationOf(query), errorCallbackURL: pageUrl('/error', query) }
    return new Redirect(await social.beginSignIn(principal, input, cookies))
  }
  return bind(pageFormContract, {
    signInForm: async (principal, { body: { provider, email = '', password = '', rememberMe }, query, cookies }) => {
      if (provider !== undefined) return goToProvider(principal, provider, query, cookies)
      const isName = names.isOn && !email.includes('@')
      try {
        const input = { password, rememberMe: rememberMe !== undefined, callbackURL: afterVerification(query) }
        const { outcome } = await (isName
          ? passwordSignIn.withUsername(principal, { ...input, username: email })
          : passwordSignIn.withEmail(principal, { ...input, email }))
        setOutcome(cookies, outcome)
        return new Redirect(outcome.kind === 'pending' ? pageUrl('/two-factor', query) : destinationOf(query))
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'EMAIL_NOT_VERIFIED') throw error
        return new Redirect(pageUrl('/check-email', query, isName ? {} : { email }))
      }
    },
    signUpForm: async (principal, { body: { provider, name = '', email = '', password = '', username }, query, cookies }) => {
      if (provider !== undefined) return goToProvider(principal, provider, query, cookies)
      // An empty field for the user name counts as absent.
      const named = username === undefined || username.trim() === '' ? {} : { username: username.trim() }
      const account = { name, email, password, ...named, callbackURL: afterVerification(query) }
      const { started } = await accounts.signUp(principal, account)
      if (started !== undefined) cookies.startSession(started.token, started.cookieSeconds)
      cookies.rememberDevice()
      return new Redirect(started === undefined ? pageUrl('/check-email', query, { email }) : destinationOf(query))
    },
    mailSignInForm: async (principal, { body: { email, code }, query, cookies }) => {
      if (mailSignIn === undefined) throw coreErrors.error('NOT_FOUND')
      const destination = destinationOf(query)
      if (code === undefined) {
        await mailSignIn.ask(principal, { email, callbackURL: destination, errorCallbackURL: pageUrl('/mail-sign-in', query) })
        // The cookie makes sure that the link and the code work only in this browser.
        cookies.rememberDevice()
        return new Redirect(pageUrl('/mail-sign-in', query, { email, sent: '1' }))
      }
      const { outcome } = await mailSignIn.withCode(principal, { email, otp: code })
      setOutcome(cookies, outcome)
      return new Redirect(outcome.kind === 'pending' ? pageUrl('/two-factor', query) : destination)
    },
    forgotPasswordForm: async (principal, { body: { email }, query }) => {
      await passwordService.requestReset(principal, email, pageUrl('/reset-password', query))
      return new Redirect(pageUrl('/forgot-password', query, { email, sent: '1' }))
    },
  })
}
