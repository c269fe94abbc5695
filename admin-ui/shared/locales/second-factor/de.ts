import type { SecondFactorMessagesOf } from '../../i18n.ts'

export const de: SecondFactorMessagesOf<'de'> = {
  'step.title': 'Noch ein Schritt',
  'step.lead': 'Bestätigen Sie noch einmal, dass Sie es sind.',
  'step.working': 'Wird geprüft…',
  'step.other': 'Anderen Weg wählen',
  'step.choose': 'Wählen Sie, wie es weitergeht',
  'step.lost': 'Nichts davon zur Hand? Bitten Sie Ihren Administrator um Hilfe.',
  'step.remember': {
    one: 'In diesem Browser {count} Tag lang nicht mehr fragen',
    other: 'In diesem Browser {count} Tage lang nicht mehr fragen',
  },
  'step.overTitle': 'Das hat zu lange gedauert',
  'step.over':
    'Zu Ihrer Sicherheit endet eine Anmeldung nach einigen Minuten. Beginnen Sie neu, dann kommen Sie dorthin, wohin Sie wollten.',
  'step.start': 'Neu beginnen',

  'method.passkey': 'Passkey',
  'method.passkeyText': 'Fingerabdruck, Gesicht oder PIN Ihres Geräts',
  'method.securityKey': 'Sicherheitsschlüssel',
  'method.securityKeyText': 'Einstecken oder ans Gerät halten, dann berühren',
  'method.totp': 'Authenticator-App',
  'method.totpText': 'Die sechs Ziffern, die die App zeigt',
  'method.mailCode': 'Code per E-Mail',
  'method.mailCodeText': 'Sechs Ziffern an {email}',
  'method.recoveryCode': 'Wiederherstellungscode',
  'method.recoveryCodeText': 'Einer der Codes, die Sie aufbewahrt haben',

  'code.label': 'Code',
  'code.missing': 'Geben Sie die sechs Ziffern ein',
  'code.totp': 'Geben Sie die sechs Ziffern ein, die Ihre Authenticator-App zeigt.',
  'code.mailAsk': 'Wir senden sechs Ziffern an {email}.',
  'code.mailSent': 'Wir haben sechs Ziffern an {email} gesendet. Geben Sie sie hier ein.',
  'code.send': 'Code senden',
  'code.recovery': 'Geben Sie einen der aufbewahrten Wiederherstellungscodes ein. Jeder gilt einmal.',
  'code.recoveryMissing': 'Geben Sie einen Wiederherstellungscode ein',

  'enrol.title': 'Schützen Sie Ihr Konto',
  'enrol.lead': 'Ihr Konto braucht bei der Anmeldung einen zweiten Schritt. Wählen Sie, welchen.',
  'enrol.appText': 'Eine App auf dem Telefon zeigt jede halbe Minute einen neuen Code',
  'enrol.appTitle': 'Authenticator-App verbinden',
  'enrol.scan': 'Scannen Sie diesen Code mit der App.',
  'enrol.qr': 'QR-Code für die Authenticator-App',
  'enrol.key': 'Oder tippen Sie diesen Schlüssel ein:',
  'enrol.copyKey': 'Schlüssel kopieren',
  'enrol.code': 'Code, den die App jetzt zeigt',
  'enrol.submit': 'Bestätigen',

  'codes.title': 'Bewahren Sie Ihre Wiederherstellungscodes auf',
  'codes.lead':
    'Ohne Ihr Telefon hilft Ihnen jeder dieser Codes einmal bei der Anmeldung. Sie werden nur jetzt gezeigt: Bewahren Sie sie dort auf, wo niemand sonst sie findet.',
  'codes.file': 'Wiederherstellungscodes für {site}',
  'codes.copy': 'Kopieren',
  'codes.download': 'Herunterladen',
  'codes.print': 'Drucken',
  'codes.kept': 'Ich habe sie aufbewahrt',
  'codes.fewTitle': 'Nur noch wenige Codes',
  'codes.few': {
    one: 'Sie haben noch {count} Wiederherstellungscode. Erzeugen Sie in Ihrem Konto neue.',
    other: 'Sie haben noch {count} Wiederherstellungscodes. Erzeugen Sie in Ihrem Konto neue.',
  },

  'copy.done': 'Kopiert',
  'copy.failed': 'Der Browser hat es nicht erlaubt. Markieren Sie den Text und kopieren Sie ihn.',

  'passkey.use': 'Passkey verwenden',
  'passkey.useKey': 'Sicherheitsschlüssel verwenden',
  'passkey.lead': 'Ihr Browser fragt nach Fingerabdruck, Gesicht oder PIN.',
  'passkey.keyLead': 'Stecken Sie den Schlüssel ein oder halten Sie ihn ans Gerät, dann berühren Sie ihn.',
  'passkey.waiting': 'Warten auf den Browser…',
  'passkey.cancelled':
    'Das wurde abgebrochen, hat zu lange gedauert, oder dieses Gerät hat keinen Passkey für Ihr Konto. Versuchen Sie es noch einmal oder wählen Sie einen anderen Weg.',
  'passkey.notMade':
    'Das wurde abgebrochen oder hat zu lange gedauert. Versuchen Sie es noch einmal, oder wählen Sie einen anderen Weg.',
  'passkey.unsupported':
    'Dieser Browser kennt keine Passkeys. Nehmen Sie einen anderen Browser oder wählen Sie einen anderen Weg.',
  'passkey.domain': 'Passkeys funktionieren unter dieser Adresse nicht. Bitten Sie Ihren Administrator, das zu prüfen.',
  'passkey.exists': 'Dieses Gerät hat bereits einen Passkey für Ihr Konto.',
  'passkey.device': 'Dieses Gerät kann das nicht. Nehmen Sie ein anderes oder wählen Sie einen anderen Weg.',
  'passkey.failed': 'Das hat nicht geklappt. Versuchen Sie es noch einmal oder wählen Sie einen anderen Weg.',

  'offer.title': 'Nächstes Mal schneller anmelden',
  'offer.text': 'Mit einem Passkey genügen Fingerabdruck, Gesicht oder PIN dieses Geräts.',
  'offer.add': 'Passkey hinzufügen',
  'offer.decline': 'Nein, danke',
  'byMail.lead': 'Wir senden Ihnen einen Link und einen Code. Ein Passwort brauchen Sie nicht.',
  'byMail.submit': 'E-Mail senden',
  'byMail.sent':
    'Wenn Sie sich mit {email} anmelden können, ist eine E-Mail unterwegs. Geben Sie den Code daraus ein, oder folgen Sie dem Link in diesem Browser.',
  'byMail.password': 'Mit Passwort anmelden',

  'serverError.INVALID_CODE': 'Dieser Code stimmt nicht oder wurde schon benutzt',
  'serverError.INVALID_BACKUP_CODE': 'Dieser Wiederherstellungscode stimmt nicht oder wurde schon benutzt',
  'serverError.OTP_HAS_EXPIRED': 'Dieser Code ist zu alt. Lassen Sie sich einen neuen senden',
  'serverError.TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE': 'Zu viele falsche Codes. Lassen Sie sich einen neuen senden',
  'serverError.OTP_NOT_CONFIGURED': 'Hier können keine Codes per E-Mail gesendet werden. Wählen Sie einen anderen Weg.',
  'serverError.TOTP_ALREADY_ENABLED': 'Ihr Konto hat bereits eine Authenticator-App.',
  'serverError.PASSKEY_NOT_FOUND': 'Dieser Passkey ist hier nicht bekannt oder wurde entfernt. Wählen Sie einen anderen Weg.',
  'serverError.AUTHENTICATION_FAILED':
    'Dieser Passkey wurde nicht angenommen. Versuchen Sie es noch einmal oder wählen Sie einen anderen Weg.',
  'serverError.USER_VERIFICATION_REQUIRED':
    'Dieser Schlüssel fragt nicht nach Fingerabdruck, Gesicht oder PIN und taugt nur als zweiter Schritt. Melden Sie sich zuerst mit dem Passwort an.',
  'serverError.CHALLENGE_NOT_FOUND': 'Das hat zu lange gedauert. Bitte versuchen Sie es noch einmal.',
  'serverError.PREVIOUSLY_REGISTERED': 'Diesen Passkey gibt es bereits.',
  'serverError.FAILED_TO_VERIFY_REGISTRATION': 'Der Passkey konnte nicht hinzugefügt werden. Bitte versuchen Sie es noch einmal.',
  'serverError.TOO_MANY_PASSKEYS_REMOVE_ONE_FIRST': 'Sie haben so viele Passkeys, wie erlaubt sind. Entfernen Sie zuerst einen.',
  'serverError.INVALID_OTP': 'Dieser Code stimmt nicht',
  'serverError.OTP_EXPIRED': 'Dieser Code ist zu alt. Lassen Sie sich eine neue E-Mail senden',
  'serverError.TOO_MANY_ATTEMPTS': 'Zu viele falsche Codes. Lassen Sie sich eine neue E-Mail senden',
  'serverError.SIGN_IN_BY_MAIL_IS_NOT_ENABLED': 'Die Anmeldung per E-Mail ist hier abgeschaltet.',
  'serverError.OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED':
    'Öffnen Sie den Link in dem Browser, in dem Sie ihn angefordert haben, oder lassen Sie sich hier eine neue E-Mail senden.',
  'serverError.PASSKEYS_ARE_NOT_ENABLED': 'Passkeys sind hier ausgeschaltet. Wählen Sie einen anderen Weg.',
  'serverError.YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY':
    'Hier ist inzwischen jemand anders angemeldet. Laden Sie die Seite neu.',
  'serverError.TOTP_NOT_ENABLED':
    'Ihr Konto hat keine Authenticator-App, oder das Hinzufügen hat zu lange gedauert. Beginnen Sie neu.',
  'serverError.BACKUP_CODES_NOT_ENABLED': 'Ihr Konto hat keine Wiederherstellungscodes. Wählen Sie einen anderen Weg.',

  'lost.link': 'Ich habe alles davon verloren',
  'lost.title': 'Alles verloren?',
  'lost.lead': {
    one: 'Nach einer Wartezeit von {count} Tag können Sie sich ohne zweiten Schritt anmelden.',
    other: 'Nach einer Wartezeit von {count} Tagen können Sie sich ohne zweiten Schritt anmelden.',
  },
  'lost.how':
    'Wir benachrichtigen Sie sofort und während der Wartezeit per E-Mail, damit Sie es aufhalten können, wenn Sie es nicht waren. Danach melden Sie sich wieder mit Ihrem Passwort an und geben einen Code ein, den wir an {email} senden. Dann werden Passkeys, App und Codes entfernt.',
  'lost.start': 'Wartezeit beginnen',
  'lost.waitingTitle': 'Bitte warten Sie',
  'lost.waiting': 'Ab {date} können Sie Ihre zweiten Faktoren entfernen: Melden Sie sich dann wieder mit Ihrem Passwort an.',
  'lost.found': 'Doch noch etwas gefunden? Melden Sie sich damit an, dann endet die Wartezeit.',
  'lost.stop': 'Wartezeit abbrechen',
  'lost.readyTitle': 'Die Wartezeit ist vorbei',
  'lost.ready': 'Wir senden sechs Ziffern an {email}. Damit werden Passkeys, App und Codes entfernt, und Sie sind angemeldet.',
  'lost.until': 'Das ist bis {date} möglich.',

  'running.title': 'Entfernen der zweiten Faktoren',
  'running.waiting':
    'Jemand, der Ihr Passwort kennt, hat angegeben, dass Ihre zweiten Faktoren verloren sind. Ab {date} können sie entfernt werden.',
  'running.ready': 'Bis {date} kann Ihre zweiten Faktoren entfernen, wer Ihr Passwort kennt und Ihre E-Mails liest.',
  'running.stop': 'Das war ich nicht: aufhalten',
  'running.stopped': 'Aufgehalten: Ihre zweiten Faktoren bleiben. Wer es versucht hat, kennt Ihr Passwort. Ändern Sie es jetzt.',
  'stop.title': 'Waren Sie das nicht?',
  'stop.text':
    'Jemand, der Ihr Passwort kennt, möchte die zweiten Faktoren Ihres Kontos entfernen. Sie können es aufhalten; dann werden alle abgemeldet.',
  'stop.submit': 'Aufhalten und überall abmelden',
  'stop.doneTitle': 'Aufgehalten',
  'stop.done': 'Ihre zweiten Faktoren bleiben. Wer es versucht hat, kennt Ihr Passwort: Legen Sie jetzt ein neues fest.',
  'stop.goneTitle': 'Nichts mehr aufzuhalten',
  'stop.gone':
    'Es wurde schon aufgehalten oder ist geschehen. Wenn Sie es nicht waren, legen Sie sofort ein neues Passwort fest und prüfen Sie die Anmeldemethoden in Ihrem Konto.',
  'stop.newPassword': 'Neues Passwort festlegen',

  'serverError.SECOND_FACTOR_RECOVERY_NOT_AVAILABLE':
    'Ihre zweiten Faktoren lassen sich auf diesem Weg nicht entfernen. Bitten Sie Ihren Administrator um Hilfe.',
  'serverError.SECOND_FACTOR_RECOVERY_NOT_READY':
    'Die Wartezeit ist nicht vorbei oder wurde abgebrochen. Melden Sie sich neu an, um den Stand zu sehen.',
  'serverError.SECOND_FACTOR_RECOVERY_NOT_FOUND': 'Nichts mehr aufzuhalten',
}
