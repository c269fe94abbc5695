import type { LinkMessagesOf } from '../../i18n.ts'

export const de: LinkMessagesOf<'de'> = {
  'confirmEmail.title': 'E-Mail-Adresse bestätigen',
  'confirmEmail.text': 'Sie wollten, dass wir diese Adresse prüfen. Ein Klick, und es ist erledigt.',
  'confirmEmail.submit': 'Adresse bestätigen',
  'confirmEmail.withPassword':
    'Mit {email} gibt es hier ein Konto. Geben Sie das dafür gewählte Passwort ein, dann ist die Adresse bestätigt.',
  'confirmEmail.notMine': 'Ich kenne es nicht oder habe dieses Konto nicht angelegt',
  'confirmEmail.claimTitle': 'Dieses Konto übernehmen',
  'confirmEmail.claim':
    'Wählen Sie ein neues Passwort für {email}. Wer das Konto angelegt hat, wird überall abgemeldet und verliert alle anderen Anmeldewege.',
  'confirmEmail.claimSubmit': 'Passwort setzen und bestätigen',
  'confirmEmail.usePassword': 'Ich kenne das Passwort',
  'recover.title': 'Konto zurückholen',
  'recover.lead':
    'Die Adresse Ihres Kontos wurde geändert. Wenn Sie das nicht waren, wählen Sie ein neues Passwort: {email} wird wieder die Adresse des Kontos.',
  'recover.loses': 'Alle werden abgemeldet, verbundene Konten und Anwendungen werden getrennt. Sie können sie wieder verbinden.',
  'recover.submit': 'Konto zurückholen',
  'recover.doneTitle': 'Das Konto gehört wieder Ihnen',
  'recover.done': 'Seine Adresse ist wieder {email}. Melden Sie sich ab jetzt mit dem neuen Passwort an.',
  'recover.invalid':
    'Links zum Zurückholen eines Kontos gelten einmal und nur eine begrenzte Zeit. Wenn Sie sich nicht anmelden können, bitten Sie Ihren Administrator um Hilfe.',

  'setup.title': 'Willkommen bei gatehouse',
  'setup.lead': 'Legen Sie das erste Administrationskonto an. Danach ist dieser Link verbraucht.',
  'setup.submit': 'Administrationskonto anlegen',
  'setup.working': 'Wird eingerichtet…',
  'setup.usedTitle': 'Dieser Einrichtungslink ist verbraucht',
  'setup.used': 'Er gilt einmal und eine Stunde lang. Einen neuen erzeugen Sie auf dem Server mit:',
  'setup.missingTitle': 'Es wird ein Einrichtungslink benötigt',
  'setup.missing': 'Er wurde beim ersten Start ins Protokoll geschrieben. Einen neuen erzeugen Sie auf dem Server mit:',
  'setup.doneTitle': 'Dieser Server ist bereits eingerichtet',
  'setup.done':
    'Es gibt bereits einen Administrator, deshalb gelten Einrichtungslinks nicht mehr. Melden Sie sich an; ist das Passwort verloren, fordern Sie dort ein neues an oder setzen Sie es auf dem Server mit:',
}
