import type { UserNameMessagesOf } from '../../i18n.ts'

export const ru: UserNameMessagesOf<'ru'> = {
  'field.username': 'Имя пользователя',
  'field.emailOrName': 'Почта или имя пользователя',
  'serverError.INVALID_USERNAME_OR_PASSWORD': 'Неверное имя пользователя или пароль',
  'serverError.USERNAME_IS_ALREADY_TAKEN': 'Это имя пользователя занято. Выберите другое',
  'serverError.INVALID_USERNAME': 'Используйте буквы, цифры, точки, дефисы и подчёркивания',
  'serverError.INVALID_DISPLAY_USERNAME': 'Используйте буквы, цифры, точки, дефисы и подчёркивания',
  'serverError.USERNAME_TOO_SHORT': 'Это имя пользователя слишком короткое',
  'serverError.USERNAME_TOO_LONG': 'Это имя пользователя слишком длинное',
  'serverError.USERNAME_IS_IMMUTABLE': 'Изменить имя пользователя нельзя. Обратитесь к администратору',
  'serverError.USER_NAMES_ARE_NOT_ENABLED': 'Введите адрес эл. почты',
}
