import type { z } from 'zod'
import { AppError } from '../../../../core/errors.ts'
import { Redirect } from '../../../../http/contract.ts'
import { bind } from '../../../../http/handlers.ts'
import { setOutcome } from '../../../../http/sign-in-outcome.ts'
import type { TrustedUrls } from '../../../../http/trusted-url.ts'
import type { PasswordService } from '../new-password/service.ts'
import type { SignIn } from '../sign-in.ts'
import { type PageQuery as PageQuerySchema, pageFormContract } from './contract.ts'

type PageQuery = z.output<typeof PageQuerySchema>

/** The address of a hosted page with the parameters that say where the person goes afterwards. */
const pageUrl = (path: string, query: PageQuery, more: Readonly<Record<string, string>> = {}): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '')
  const text = new URLSearchParams([...Object.entries(more), ...given]).toString()
  return text === '' ? path : `${path}?${text}`
}

/** As the script of the pages decides it (`admin-ui/hosted/return-url.ts`): the sign-in of an application, else the address of the page, else the account. */
const destinationOf = ({ interaction, callbackURL }: PageQuery): string =>
  interaction ? `/interaction/${encodeURIComponent(interaction)}` : callbackURL || '/account'

interface Deps {
  readonly signIn: Pick<SignIn, 'withEmail'>
  readonly passwordService: Pick<PasswordService, 'requestReset'>
  readonly trustedUrls: Pick<TrustedUrls, 'absolute'>
}

export const pageFormRoutes = ({ signIn, passwordService: passwords, trustedUrls }: Deps) => {
  const own = new URL(trustedUrls.absolute('/') ?? '').origin
  /** Where the link of a mail leads. On our own origin it is our page, which says that it worked. */
  const afterVerification = (query: PageQuery): string => {
    const destination = destinationOf(query)
    return URL.parse(destination, own)?.origin === own ? pageUrl('/verified', query) : destination
  }
  return bind(pageFormContract, {
    signInForm: async (principal, { body: { email, password, rememberMe }, query, cookies }) => {
      try {
        const input = { email, password, rememberMe: rememberMe !== undefined, callbackURL: afterVerification(query) }
        const { outcome } = await signIn.withEmail(principal, input)
        setOutcome(cookies, outcome)
        return new Redirect(outcome.kind === 'pending' ? pageUrl('/two-factor', query) : destinationOf(query))
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'EMAIL_NOT_VERIFIED') throw error
        return new Redirect(pageUrl('/check-email', query, { email }))
      }
    },
    forgotPasswordForm: async (principal, { body: { email }, query }) => {
      await passwords.requestReset(principal, email, pageUrl('/reset-password', query))
      return new Redirect(pageUrl('/forgot-password', query, { email, sent: '1' }))
    },
  })
}
