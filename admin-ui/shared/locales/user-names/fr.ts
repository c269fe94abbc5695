import type { UserNameMessagesOf } from '../../i18n.ts'

export const fr: UserNameMessagesOf<'fr'> = {
  'field.username': 'Nom d’utilisateur',
  'field.emailOrName': 'E-mail ou nom d’utilisateur',
  'serverError.INVALID_USERNAME_OR_PASSWORD': 'Le nom d’utilisateur ou le mot de passe est incorrect',
  'serverError.USERNAME_IS_ALREADY_TAKEN': 'Ce nom d’utilisateur est déjà pris. Choisissez-en un autre',
  'serverError.INVALID_USERNAME': 'Utilisez des lettres, des chiffres, des points, des tirets et des traits de soulignement',
  'serverError.INVALID_DISPLAY_USERNAME':
    'Utilisez des lettres, des chiffres, des points, des tirets et des traits de soulignement',
  'serverError.USERNAME_TOO_SHORT': 'Ce nom d’utilisateur est trop court',
  'serverError.USERNAME_TOO_LONG': 'Ce nom d’utilisateur est trop long',
  'serverError.USERNAME_IS_IMMUTABLE': 'Votre nom d’utilisateur ne peut pas être modifié. Adressez-vous à votre administrateur',
  'serverError.USER_NAMES_ARE_NOT_ENABLED': 'Saisissez votre adresse e-mail',
}
