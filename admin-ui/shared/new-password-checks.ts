import type { Settings } from './api.ts'
import { emailError, present } from './checks.ts'
import type { I18n } from './i18n.ts'

export type PasswordLength = Pick<Settings, 'passwordMinLength' | 'passwordMaxLength'>

/**
 * The length of passwords in Apple's syntax (`passwordrules`). Password generators use ASCII, in which they count characters as the
 * server does.
 */
export const passwordRules = ({ passwordMinLength, passwordMaxLength }: PasswordLength): string =>
  `minlength: ${passwordMinLength}; maxlength: ${passwordMaxLength};`

/** Length in code points, as the server counts it. */
export const lengthOf = (password: string): number => [...password.normalize('NFC')].length

export const newPasswordError = (password: string, length: PasswordLength, { t }: I18n) => {
  if (password === '') return t('problem.passwordMissing')
  if (lengthOf(password) < length.passwordMinLength) return t('problem.passwordTooShort', { count: length.passwordMinLength })
  return lengthOf(password) > length.passwordMaxLength
    ? t('problem.passwordTooLong', { count: length.passwordMaxLength })
    : undefined
}

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

export const checkNewPassword = (values: { readonly newPassword: string }, length: PasswordLength, i18n: I18n) =>
  present({ newPassword: newPasswordError(values.newPassword, length, i18n) })
