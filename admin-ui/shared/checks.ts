import type { Settings } from './api.ts'
import type { FieldErrors } from './form.tsx'
import type { I18n } from './i18n.ts'

export type PasswordLength = Pick<Settings, 'passwordMinLength' | 'passwordMaxLength'>

/** Loose on purpose: it catches slips of the hand, the server decides. */
const looksLikeEmail = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text.trim())

export const emailError = (email: string, { t }: I18n) => {
  if (email.trim() === '') return t('problem.emailMissing')
  return looksLikeEmail(email) ? undefined : t('problem.emailInvalid')
}

/** Length in code points, as the server counts it. */
export const lengthOf = (password: string): number => [...password.normalize('NFC')].length

export const newPasswordError = (password: string, length: PasswordLength, { t }: I18n) => {
  if (password === '') return t('problem.passwordMissing')
  if (lengthOf(password) < length.passwordMinLength) return t('problem.passwordTooShort', { count: length.passwordMinLength })
  return lengthOf(password) > length.passwordMaxLength
    ? t('problem.passwordTooLong', { count: length.passwordMaxLength })
    : undefined
}

export const present = <F extends string>(errors: Readonly<Record<F, string | undefined>>): FieldErrors<F> =>
  Object.fromEntries(Object.entries(errors).filter(([, text]) => text !== undefined)) as FieldErrors<F>

/** An address, or where users have names one of the two. */
export const checkIdentifier = ({ email }: { readonly email: string }, i18n: I18n, takesNames: boolean) =>
  takesNames ? present({ email: email.trim() === '' ? i18n.t('problem.valueMissing') : undefined }) : checkEmail({ email }, i18n)

export const checkSignIn = (values: { readonly email: string; readonly password: string }, i18n: I18n, takesNames: boolean) => ({
  ...checkIdentifier(values, i18n, takesNames),
  ...present({ password: values.password === '' ? i18n.t('problem.passwordMissing') : undefined }),
})

export const checkNewAccount = (
  values: { readonly name: string; readonly email: string; readonly password: string },
  length: PasswordLength,
  i18n: I18n,
) =>
  present({
    name: values.name.trim() === '' ? i18n.t('problem.nameMissing') : undefined,
    email: emailError(values.email, i18n),
    password: newPasswordError(values.password, length, i18n),
  })

export const checkEmail = (values: { readonly email: string }, i18n: I18n) => present({ email: emailError(values.email, i18n) })

export const checkNewPassword = (values: { readonly newPassword: string }, length: PasswordLength, i18n: I18n) =>
  present({ newPassword: newPasswordError(values.newPassword, length, i18n) })
