import { looksLikeEmail } from '../../src/core/web.ts'
import type { FieldErrors } from './form.tsx'
import type { I18n } from './i18n.ts'

export const emailError = (email: string, { t }: I18n) => {
  if (email.trim() === '') return t('problem.emailMissing')
  return looksLikeEmail(email) ? undefined : t('problem.emailInvalid')
}

export const present = <F extends string>(errors: Readonly<Record<F, string | undefined>>): FieldErrors<F> =>
  Object.fromEntries(Object.entries(errors).filter(([, text]) => text !== undefined)) as FieldErrors<F>

/** Checks an address. If users have names (`takesNames`), a user name is accepted, too. */
export const checkIdentifier = ({ email }: { readonly email: string }, i18n: I18n, takesNames: boolean) =>
  takesNames ? present({ email: email.trim() === '' ? i18n.t('problem.valueMissing') : undefined }) : checkEmail({ email }, i18n)

export const checkSignIn = (values: { readonly email: string; readonly password: string }, i18n: I18n, takesNames: boolean) => ({
  ...checkIdentifier(values, i18n, takesNames),
  ...present({ password: values.password === '' ? i18n.t('problem.passwordMissing') : undefined }),
})

export const checkEmail = (values: { readonly email: string }, i18n: I18n) => present({ email: emailError(values.email, i18n) })
