/** English texts of the pages that mailed and printed links lead to, and the list of all: every other language has exactly these keys. */
export const en = {
  'confirmEmail.title': 'Confirm your email address',
  'confirmEmail.text': 'You asked us to check that this address is yours. One click, and it is done.',
  'confirmEmail.submit': 'Confirm address',
  'confirmEmail.withPassword':
    'There is an account with {email} here. Enter the password chosen for it, and the address is confirmed.',
  'confirmEmail.notMine': 'I do not know it, or did not make this account',
  'confirmEmail.claimTitle': 'Make this account yours',
  'confirmEmail.claim':
    'Choose a new password for {email}. Whoever made the account is signed out everywhere, and their other ways to sign in are removed.',
  'confirmEmail.claimSubmit': 'Set password and confirm',
  'confirmEmail.usePassword': 'I know the password',
  'recover.title': 'Take your account back',
  'recover.lead':
    'The address of your account was changed. If that was not you, choose a new password: {email} becomes its address again.',
  'recover.loses':
    'Everybody is signed out, and connected accounts and applications are disconnected. You can connect them again.',
  'recover.submit': 'Take the account back',
  'recover.doneTitle': 'The account is yours again',
  'recover.done': 'Its address is {email} again. From now on, sign in with the new password.',
  'recover.invalid':
    'Links to take an account back work once and for a limited time. If you cannot sign in, ask your administrator for help.',

  'setup.title': 'Welcome to gatehouse',
  'setup.lead': 'Create the first administrator. After that, this link is used up.',
  'setup.submit': 'Create administrator',
  'setup.working': 'Setting up…',
  'setup.usedTitle': 'This setup link is used up',
  'setup.used': 'It works once and for one hour. Make a new one on the server with:',
  'setup.missingTitle': 'A setup link is needed',
  'setup.missing': 'It was written to the log at the first start. Make a new one on the server with:',
  'setup.doneTitle': 'This server is already set up',
  'setup.done':
    'There is an administrator, so setup links no longer work. Sign in; if the password is lost, ask for a new one there, or set one on the server with:',
} as const
