import type { UserNameMessagesOf } from '../../i18n.ts'

export const uk: UserNameMessagesOf<'uk'> = {
  'field.username': 'Ім’я користувача',
  'field.emailOrName': 'Пошта або ім’я користувача',
  'serverError.INVALID_USERNAME_OR_PASSWORD': 'Неправильне ім’я користувача або пароль',
  'serverError.USERNAME_IS_ALREADY_TAKEN': 'Це ім’я користувача зайняте. Виберіть інше',
  'serverError.INVALID_USERNAME': 'Використовуйте літери, цифри, крапки, дефіси та підкреслення',
  'serverError.INVALID_DISPLAY_USERNAME': 'Використовуйте літери, цифри, крапки, дефіси та підкреслення',
  'serverError.USERNAME_TOO_SHORT': 'Це ім’я користувача закоротке',
  'serverError.USERNAME_TOO_LONG': 'Це ім’я користувача задовге',
  'serverError.USERNAME_IS_IMMUTABLE': 'Змінити ім’я користувача не можна. Зверніться до адміністратора',
  'serverError.USER_NAMES_ARE_NOT_ENABLED': 'Введіть адресу ел. пошти',
}
