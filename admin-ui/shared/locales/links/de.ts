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
  'notMe.title': 'Waren Sie das nicht?',
  'notMe.text':
    'Alle werden sofort von Ihrem Konto abgemeldet, auch in diesem Browser, und Anwendungen verlieren ihren Zugang. Bevor Sie die Schaltfläche wählen, geschieht nichts.',
  'notMe.submit': 'Das war ich nicht: überall abmelden',
  'notMe.doneTitle': 'Alle sind abgemeldet',
  'notMe.mailed': 'Mit Ihrem Passwort kann sich niemand mehr anmelden. Ein Link zu einem neuen ist unterwegs an {email}.',
  'notMe.noPassword':
    'Melden Sie sich wieder an, um Ihr Konto zu sehen. Wenn das nicht geht, bitten Sie Ihre Administration um Hilfe.',
  'notMe.removed': 'Was aus Ihrem Konto entfernt wurde',
  'notMe.waysIn': 'Was sich weiterhin bei Ihrem Konto anmelden kann',
  'notMe.remove': 'Wenn etwas davon nicht Ihnen gehört, melden Sie sich an und entfernen Sie es sofort.',
  'notMe.provider': 'Konto bei {name}',
  'notMe.passkey': 'Passkey „{name}“',
  'notMe.securityKey': 'Sicherheitsschlüssel: {name}',
  'notMe.totp': 'Authenticator-App',
  'notMe.mail': 'Eine E-Mail an {email}',
  'notMe.help': 'Um Hilfe bitten',
  'notMe.invalid':
    'Er wurde schon benutzt, ist zu alt, oder Ihr Konto hat inzwischen eine andere Adresse. Wenn jemand anderes bei Ihrem Konto angemeldet sein könnte, legen Sie ein neues Passwort fest oder bitten Sie um Hilfe.',
  'recover.leadAlone':
    'Die Adresse Ihres Kontos wurde geändert. Wenn Sie das nicht waren, holen Sie es zurück: {email} wird wieder seine Adresse.',
  'recover.doneAlone': 'Seine Adresse ist wieder {email}. Melden Sie sich an wie vorher.',
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
    'Es gibt bereits einen Administrator, deshalb gelten Einrichtungslinks nicht mehr. Melden Sie sich an; ist das Passwort verloren, fordern Sie dort ein neues an oder setzen Sie es auf dem Server mit set-password. Dieser Befehl nennt die Administratoren:',

  'error.title': 'Etwas ist schiefgegangen',
  'error.text': 'Das konnte nicht abgeschlossen werden. Oft hilft es, zurückzugehen und es noch einmal zu versuchen.',
  'error.link.title': 'Dieser Link gilt nicht mehr',
  'error.link.text':
    'Links aus unseren E-Mails gelten einmal und nur für begrenzte Zeit. Melden Sie sich an, um einen neuen zu erhalten.',
  'error.otherBrowser.title': 'Bitte melden Sie sich zuerst an',
  'error.otherBrowser.text':
    'Dieser Link gilt nur dort, wo Sie angemeldet sind. Melden Sie sich hier an und öffnen Sie ihn dann noch einmal.',
  'error.banned.title': 'Konto gesperrt',
  'error.banned.text':
    'Sie wurden gesperrt und können sich nicht anmelden. Wenden Sie sich an den Support, wenn Sie das für einen Irrtum halten.',
  'error.denied.title': 'Der Zugriff wurde nicht erlaubt',
  'error.denied.text':
    'Die Anwendung hat keinen Zugriff auf Ihr Konto erhalten. Falls Sie das nicht wollten, gehen Sie zurück und versuchen Sie es erneut.',
  'error.client.title': 'Unbekannte Anwendung',
  'error.client.text': 'Die Anwendung, von der Sie kommen, ist hier nicht registriert. Mehr wissen deren Betreiber.',
  'error.clientDisabled.title': 'Anwendung ausgeschaltet',
  'error.clientDisabled.text':
    'Die Anmeldung bei dieser Anwendung ist zurzeit ausgeschaltet. Bitte wenden Sie sich an Ihre Administration.',
  'error.impersonation.title': 'Sie handeln als jemand anderes',
  'error.impersonation.text':
    'Die Anwendung, aus der Sie kommen, würde alles für das Tun dieser Person halten. Beenden Sie das Handeln als jemand anderes und melden Sie sich selbst an. Wer sie betreibt, kann angeben, dass sie den Claim act versteht.',
  'error.request.title': 'Diese Anfrage war nicht lesbar',
  'error.request.text':
    'Die Anwendung, von der Sie kommen, hat etwas verlangt, das wir nicht beantworten können. Deren Betreiber können das beheben.',
  'error.notLinked.title': 'Dieses Konto ist nicht verbunden',
  'error.notLinked.text':
    'Es gibt ein Konto mit dieser Adresse, aber es ist nicht mit dem gewählten Dienst verbunden. Melden Sie sich an wie bisher und verbinden Sie ihn dann in Ihrem Konto.',
  'error.linkedElsewhere.title': 'Bereits mit jemand anderem verbunden',
  'error.linkedElsewhere.text': 'Das gewählte Konto ist hier mit einer anderen Person verbunden. Trennen Sie es zuerst dort.',
  'error.emailMismatch.title': 'Die Adressen stimmen nicht überein',
  'error.emailMismatch.text':
    'Das gewählte Konto hat eine andere E-Mail-Adresse als Ihres. Wählen Sie eines mit derselben Adresse.',
  'error.provider.title': 'Der andere Dienst hat nicht geantwortet',
  'error.provider.text': 'Der gewählte Dienst hat uns nicht mitgeteilt, wer Sie sind. Bitte versuchen Sie es erneut.',
  'error.providerEmail.title': 'Keine E-Mail-Adresse',
  'error.providerEmail.text':
    'Der gewählte Dienst hat uns Ihre E-Mail-Adresse nicht mitgeteilt. Erlauben Sie es ihm oder melden Sie sich anders an.',
  'error.signUpOff.title': 'Registrierung geschlossen',
  'error.signUpOff.text': 'Sie haben noch kein Konto, und neue erstellt hier die Administration.',
  'error.mailLink.title': 'Ein anderer Browser hat gefragt',
  'error.mailLink.text':
    'Öffnen Sie den Link in dem Browser, in dem Sie ihn angefordert haben, oder fordern Sie hier eine neue E-Mail an.',
  'error.mailSignInOff.title': 'Keine Anmeldung per E-Mail',
  'error.mailSignInOff.text': 'Die Anmeldung per E-Mail ist hier ausgeschaltet. Melden Sie sich auf einem anderen Weg an.',
  'error.server.title': 'Das war unser Fehler',
  'error.server.text': 'Bei uns ist etwas fehlgeschlagen. Es wurde festgehalten; bitte versuchen Sie es gleich noch einmal.',
  'error.details': 'Einzelheiten',
  'error.code': 'Code',
  'error.requestId': 'Anfrage',

  'forgot.title': 'Passwort vergessen?',
  'forgot.lead': 'Geben Sie Ihre Adresse ein. Wir senden Ihnen einen Link, mit dem Sie ein neues wählen.',
  'forgot.submit': 'Link senden',
  'forgot.sentTo': 'Wenn es zu {email} ein Konto gibt, ist ein Link für ein neues Passwort unterwegs.',
  'forgot.hint':
    'Er gilt einmal und nur für begrenzte Zeit. Nichts da? Sehen Sie im Spam-Ordner nach oder senden Sie ihn erneut.',
  'reset.title': 'Neues Passwort wählen',
  'reset.lead': 'Es ersetzt das alte. Alle Ihre Geräte werden abgemeldet.',
  'reset.submit': 'Passwort festlegen',
  'reset.invalidTitle': 'Dieser Link gilt nicht mehr',
  'reset.invalid': 'Links für ein neues Passwort gelten einmal und nur für begrenzte Zeit. Fordern Sie einen neuen an.',
  'reset.again': 'Neuen Link senden',
  'reset.doneTitle': 'Ihr Passwort ist geändert',
  'reset.done': 'Melden Sie sich ab jetzt mit dem neuen an.',
  'reset.claim.title': 'Mit Ihrer Adresse wurde ein Konto angelegt',
  'reset.claim.text':
    'Ein Konto mit {email} wurde am {date} angelegt. Bisher hat niemand die Adresse bestätigt. Zum Konto gehören:',
  'reset.claim.members': { one: '{count} Mitglied', other: '{count} Mitglieder' },
  'reset.claim.keys': { one: '{count} API-Schlüssel', other: '{count} API-Schlüssel' },
  'reset.claim.invitations': { one: '{count} offene Einladung', other: '{count} offene Einladungen' },
  'reset.claim.nothing': 'Keine Organisationen und keine API-Schlüssel',
  'reset.claim.start-fresh': 'Neu beginnen',
  'reset.claim.start-fresh.hint': 'Sie erhalten ein neues Konto. Das andere Konto behält alles außer Ihrer Adresse.',
  'reset.claim.take-over': 'Konto übernehmen',
  'reset.claim.take-over.hint':
    'Wählen Sie dies, wenn Sie das Konto selbst angelegt haben. Alle anderen Anmeldemethoden, die API-Schlüssel und die offenen Einladungen enden.',
  'reset.claim.only':
    'Das Konto gehört dann Ihnen. Alle anderen Anmeldemethoden, die API-Schlüssel und die offenen Einladungen enden.',
  'reset.claim.membersOf': 'Wer {name} mit Ihnen teilt',
  'reset.claim.more': { one: 'und {count} weiteres', other: 'und {count} weitere' },
  'reset.claim.remove': 'Melden Sie sich an und entfernen Sie Mitglieder, die Sie nicht kennen.',
  'verified.title': 'Ihre Adresse ist bestätigt',
  'verified.text': 'Vielen Dank. Alles ist bereit.',
  'deleted.title': 'Ihr Konto ist gelöscht',
  'deleted.text': 'Danke, dass Sie da waren. Sie können diese Seite schließen.',
}
