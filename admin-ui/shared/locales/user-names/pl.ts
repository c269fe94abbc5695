import type { UserNameMessagesOf } from '../../i18n.ts'

export const pl: UserNameMessagesOf<'pl'> = {
  'field.username': 'Nazwa użytkownika',
  'field.emailOrName': 'E-mail lub nazwa użytkownika',
  'serverError.INVALID_USERNAME_OR_PASSWORD': 'Nieprawidłowa nazwa użytkownika lub hasło',
  'serverError.USERNAME_IS_ALREADY_TAKEN': 'Ta nazwa użytkownika jest zajęta. Wybierz inną',
  'serverError.INVALID_USERNAME': 'Użyj liter, cyfr, kropek, łączników i podkreśleń',
  'serverError.INVALID_DISPLAY_USERNAME': 'Użyj liter, cyfr, kropek, łączników i podkreśleń',
  'serverError.USERNAME_TOO_SHORT': 'Ta nazwa użytkownika jest za krótka',
  'serverError.USERNAME_TOO_LONG': 'Ta nazwa użytkownika jest za długa',
  'serverError.USERNAME_IS_IMMUTABLE': 'Twojej nazwy użytkownika nie można zmienić. Poproś administratora',
  'serverError.USER_NAMES_ARE_NOT_ENABLED': 'Wpisz adres e-mail',
}
