import type { Settings } from './api.ts'
import type { FieldErrors } from './form.tsx'
import type { I18n } from './i18n.ts'

type PasswordLength = Pick<Settings, 'passwordMinLength' | 'passwordMaxLength'>

/** Loose on purpose: it catches slips of the hand, the server decides. */
const looksLikeEmail = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text.trim())

const emailError = (email: string, { t }: I18n) => {
  if (email.trim() === '') return t('problem.emailMissing')
  return looksLikeEmail(email) ? undefined : t('problem.emailInvalid')
}

/** Length in code points, as the server counts it. */
export const lengthOf = (password: string): number => [...password.normalize('NFC')].length

const newPasswordError = (password: string, length: PasswordLength, { t }: I18n) => {
  if (password === '') return t('problem.passwordMissing')
  if (lengthOf(password) < length.passwordMinLength) return t('problem.passwordTooShort', { min: length.passwordMinLength })
  return lengthOf(password) > length.passwordMaxLength
    ? t('problem.passwordTooLong', { max: length.passwordMaxLength })
    : undefined
}

const present = <F extends string>(errors: Readonly<Record<F, string | undefined>>): FieldErrors<F> =>
  Object.fromEntries(Object.entries(errors).filter(([, text]) => text !== undefined)) as FieldErrors<F>

export const checkSignIn = (values: { readonly email: string; readonly password: string }, i18n: I18n) =>
  present({
    email: emailError(values.email, i18n),
    password: values.password === '' ? i18n.t('problem.passwordMissing') : undefined,
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
