import type { UserNameMessagesOf } from '../../i18n.ts'

export const tr: UserNameMessagesOf<'tr'> = {
  'field.username': 'Kullanıcı adı',
  'field.emailOrName': 'E-posta veya kullanıcı adı',
  'serverError.INVALID_USERNAME_OR_PASSWORD': 'Kullanıcı adı veya parola hatalı',
  'serverError.USERNAME_IS_ALREADY_TAKEN': 'Bu kullanıcı adı alınmış. Başka bir ad seçin',
  'serverError.INVALID_USERNAME': 'Harf, rakam, nokta, kısa çizgi ve alt çizgi kullanın',
  'serverError.INVALID_DISPLAY_USERNAME': 'Harf, rakam, nokta, kısa çizgi ve alt çizgi kullanın',
  'serverError.USERNAME_TOO_SHORT': 'Bu kullanıcı adı çok kısa',
  'serverError.USERNAME_TOO_LONG': 'Bu kullanıcı adı çok uzun',
  'serverError.USERNAME_IS_IMMUTABLE': 'Kullanıcı adınız değiştirilemez. Yöneticinize başvurun',
  'serverError.USER_NAMES_ARE_NOT_ENABLED': 'E-posta adresinizi girin',
}
