import type { UserNameMessagesOf } from '../../i18n.ts'

export const es: UserNameMessagesOf<'es'> = {
  'field.username': 'Nombre de usuario',
  'field.emailOrName': 'Correo o nombre de usuario',
  'serverError.INVALID_USERNAME_OR_PASSWORD': 'El nombre de usuario o la contraseña no son correctos',
  'serverError.USERNAME_IS_ALREADY_TAKEN': 'Este nombre de usuario ya está en uso. Elige otro',
  'serverError.INVALID_USERNAME': 'Usa letras, cifras, puntos, guiones y guiones bajos',
  'serverError.INVALID_DISPLAY_USERNAME': 'Usa letras, cifras, puntos, guiones y guiones bajos',
  'serverError.USERNAME_TOO_SHORT': 'Este nombre de usuario es demasiado corto',
  'serverError.USERNAME_TOO_LONG': 'Este nombre de usuario es demasiado largo',
  'serverError.USERNAME_IS_IMMUTABLE': 'Tu nombre de usuario no se puede cambiar. Pídelo a tu administrador',
  'serverError.USER_NAMES_ARE_NOT_ENABLED': 'Escribe tu correo electrónico',
}
