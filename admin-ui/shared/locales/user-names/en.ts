/** English texts about user names, where users have them, and the list of all: every other language has exactly these keys. */
export const en = {
  'field.username': 'User name',
  'field.emailOrName': 'Email or user name',
  'serverError.INVALID_USERNAME_OR_PASSWORD': 'The name or the password is wrong',
  'serverError.USERNAME_IS_ALREADY_TAKEN': 'This user name is taken. Choose another',
  'serverError.INVALID_USERNAME': 'Use letters, digits, dots, dashes and underscores',
  'serverError.INVALID_DISPLAY_USERNAME': 'Use letters, digits, dots, dashes and underscores',
  'serverError.USERNAME_TOO_SHORT': 'This user name is too short',
  'serverError.USERNAME_TOO_LONG': 'This user name is too long',
  'serverError.USERNAME_IS_IMMUTABLE': 'Your user name cannot be changed. Ask your administrator',
  'serverError.USER_NAMES_ARE_NOT_ENABLED': 'Enter your email address',
} as const
