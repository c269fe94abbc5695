import { isPictureUrl, parseUrl } from '../../../src/core/web.ts'
import { emailError, present } from '../../shared/checks.ts'
import type { I18n } from '../../shared/i18n.ts'
import { newPasswordError, type PasswordLength } from '../../shared/new-password-checks.ts'

/**
 * Normalizes the domain of an email address, so that two addresses can be compared. An input may return an international domain in
 * another spelling than the person typed.
 */
const spelled = (email: string) => {
  const text = email.trim().toLowerCase()
  return parseUrl(`http://${text}`)?.href ?? text
}

export const checkPasswordChange = (
  values: { readonly currentPassword: string; readonly newPassword: string },
  length: PasswordLength,
  i18n: I18n,
) => {
  const isSame = values.newPassword !== '' && values.newPassword === values.currentPassword
  return present({
    currentPassword: values.currentPassword === '' ? i18n.t('problem.passwordMissing') : undefined,
    newPassword: newPasswordError(values.newPassword, length, i18n) ?? (isSame ? i18n.t('problem.passwordSame') : undefined),
  })
}

export const checkEmailChange = (values: { readonly newEmail: string }, current: string, i18n: I18n) => {
  const isSame = spelled(values.newEmail) === spelled(current)
  return present({ newEmail: emailError(values.newEmail, i18n) ?? (isSame ? i18n.t('problem.emailSame') : undefined) })
}

export const checkProfile = (values: { readonly name: string; readonly image: string }, { t }: I18n) =>
  present({
    name: values.name.trim() === '' ? t('problem.nameMissing') : undefined,
    image: values.image.trim() === '' || isPictureUrl(values.image.trim()) ? undefined : t('problem.pictureInvalid'),
  })

export const checkDeletion = (
  values: { readonly confirmation: string; readonly password: string },
  account: { readonly email: string; readonly hasPassword: boolean },
  { t }: I18n,
) =>
  present({
    confirmation: spelled(values.confirmation) === spelled(account.email) ? undefined : t('delete.confirmWrong'),
    password: account.hasPassword && values.password === '' ? t('problem.passwordMissing') : undefined,
  })
