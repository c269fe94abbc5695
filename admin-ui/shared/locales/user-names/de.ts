import type { UserNameMessagesOf } from '../../i18n.ts'

export const de: UserNameMessagesOf<'de'> = {
  'field.username': 'Benutzername',
  'field.emailOrName': 'E-Mail oder Benutzername',
  'serverError.INVALID_USERNAME_OR_PASSWORD': 'Benutzername oder Passwort stimmt nicht',
  'serverError.USERNAME_IS_ALREADY_TAKEN': 'Dieser Benutzername ist vergeben. Wählen Sie einen anderen',
  'serverError.INVALID_USERNAME': 'Verwenden Sie Buchstaben, Ziffern, Punkte, Binde- und Unterstriche',
  'serverError.INVALID_DISPLAY_USERNAME': 'Verwenden Sie Buchstaben, Ziffern, Punkte, Binde- und Unterstriche',
  'serverError.USERNAME_TOO_SHORT': 'Dieser Benutzername ist zu kurz',
  'serverError.USERNAME_TOO_LONG': 'Dieser Benutzername ist zu lang',
  'serverError.USERNAME_IS_IMMUTABLE': 'Ihr Benutzername lässt sich nicht ändern. Bitte wenden Sie sich an Ihre Administration',
  'serverError.USER_NAMES_ARE_NOT_ENABLED': 'Geben Sie Ihre E-Mail-Adresse ein',
}
