import type { SecondFactorMessagesOf } from '../../i18n.ts'

export const fr: SecondFactorMessagesOf<'fr'> = {
  'step.title': 'Encore une étape',
  'step.lead': 'Confirmez encore une fois que c’est bien vous.',
  'step.working': 'Vérification…',
  'step.other': 'Essayer autrement',
  'step.choose': 'Choisissez comment continuer',
  'step.lost': 'Rien de tout cela sous la main ? Demandez de l’aide à votre administrateur.',
  'step.remember': {
    one: 'Ne plus demander dans ce navigateur pendant {count} jour',
    many: 'Ne plus demander dans ce navigateur pendant {count} de jours',
    other: 'Ne plus demander dans ce navigateur pendant {count} jours',
  },
  'step.overTitle': 'C’était trop long',
  'step.over': 'Par sécurité, une connexion expire après quelques minutes. Recommencez, et vous arriverez là où vous alliez.',
  'step.start': 'Recommencer',

  'method.passkey': 'Clé d’accès',
  'method.passkeyText': 'Empreinte, visage ou code PIN de votre appareil',
  'method.securityKey': 'Clé de sécurité',
  'method.securityKeyText': 'Branchez-la ou approchez-la de l’appareil, puis touchez-la',
  'method.totp': 'Application d’authentification',
  'method.totpText': 'Les six chiffres affichés par l’application',
  'method.mailCode': 'Code par e-mail',
  'method.mailCodeText': 'Six chiffres, envoyés à {email}',
  'method.recoveryCode': 'Code de secours',
  'method.recoveryCodeText': 'L’un des codes que vous avez conservés',

  'code.label': 'Code',
  'code.missing': 'Saisissez les six chiffres',
  'code.totp': 'Saisissez les six chiffres affichés par votre application d’authentification.',
  'code.mailAsk': 'Nous envoyons six chiffres à {email}.',
  'code.mailSent': 'Nous avons envoyé six chiffres à {email}. Saisissez-les ici.',
  'code.send': 'Envoyer le code',
  'code.recovery': 'Saisissez l’un des codes de secours que vous avez conservés. Chacun sert une fois.',
  'code.recoveryMissing': 'Saisissez un code de secours',

  'enrol.title': 'Protégez votre compte',
  'enrol.lead': 'Votre compte demande une seconde étape à la connexion. Choisissez laquelle.',
  'enrol.appText': 'Une application du téléphone affiche un nouveau code toutes les 30 secondes',
  'enrol.appTitle': 'Associez votre application',
  'enrol.scan': 'Scannez ce code avec l’application.',
  'enrol.qr': 'Code QR pour l’application d’authentification',
  'enrol.key': 'Ou saisissez-y cette clé :',
  'enrol.copyKey': 'Copier la clé',
  'enrol.code': 'Code affiché par l’application',
  'enrol.submit': 'Confirmer',

  'codes.title': 'Conservez vos codes de secours',
  'codes.lead':
    'Sans votre téléphone, chacun de ces codes vous connecte une fois. Ils ne s’affichent que maintenant : gardez-les là où personne d’autre ne les trouvera.',
  'codes.file': 'Codes de secours pour {site}',
  'codes.copy': 'Copier',
  'codes.download': 'Télécharger',
  'codes.print': 'Imprimer',
  'codes.kept': 'Je les ai conservés',
  'codes.fewTitle': 'Il reste peu de codes',
  'codes.few': {
    one: 'Il vous reste {count} code de secours. Créez-en de nouveaux dans votre compte.',
    many: 'Il vous reste {count} de codes de secours. Créez-en de nouveaux dans votre compte.',
    other: 'Il vous reste {count} codes de secours. Créez-en de nouveaux dans votre compte.',
  },

  'copy.done': 'Copié',
  'copy.failed': 'Le navigateur ne l’a pas permis. Sélectionnez le texte et copiez-le.',

  'passkey.use': 'Utiliser une clé d’accès',
  'passkey.useKey': 'Utiliser une clé de sécurité',
  'passkey.lead': 'Votre navigateur demande votre empreinte, votre visage ou un code PIN.',
  'passkey.keyLead': 'Branchez votre clé ou approchez-la de l’appareil, puis touchez-la.',
  'passkey.waiting': 'En attente du navigateur…',
  'passkey.cancelled':
    'C’était annulé ou trop long, ou cet appareil n’a pas de clé pour votre compte. Réessayez, ou choisissez un autre moyen.',
  'passkey.notMade': 'L’opération a été annulée ou a pris trop de temps. Réessayez ou choisissez un autre moyen.',
  'passkey.unsupported': 'Ce navigateur ne connaît pas les clés d’accès. Prenez-en un autre, ou choisissez un autre moyen.',
  'passkey.domain': 'Les clés d’accès ne fonctionnent pas à cette adresse. Demandez à votre administrateur de vérifier.',
  'passkey.exists': 'Cet appareil a déjà une clé d’accès pour votre compte.',
  'passkey.device': 'Cet appareil ne peut pas le faire. Prenez-en un autre, ou choisissez un autre moyen.',
  'passkey.failed': 'Cela n’a pas fonctionné. Réessayez, ou choisissez un autre moyen.',

  'offer.title': 'Plus vite la prochaine fois',
  'offer.text': 'Avec une clé d’accès, l’empreinte, le visage ou le code de cet appareil suffit.',
  'offer.add': 'Ajouter une clé d’accès',
  'offer.decline': 'Non merci',
  'byMail.lead': 'Nous vous envoyons un lien et un code. Aucun mot de passe n’est nécessaire.',
  'byMail.submit': 'Envoyer l’e-mail',
  'byMail.sent':
    'Si vous pouvez vous connecter avec {email}, un e-mail est en route. Saisissez son code, ou suivez son lien dans ce navigateur.',
  'byMail.password': 'Se connecter avec un mot de passe',

  'serverError.INVALID_CODE': 'Ce code est incorrect ou a déjà servi',
  'serverError.INVALID_BACKUP_CODE': 'Ce code de secours est incorrect ou a déjà servi',
  'serverError.OTP_HAS_EXPIRED': 'Ce code est trop ancien. Faites-en envoyer un nouveau',
  'serverError.TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE': 'Trop de codes incorrects. Faites-en envoyer un nouveau',
  'serverError.OTP_NOT_CONFIGURED': 'Les codes ne peuvent pas être envoyés par e-mail ici. Choisissez un autre moyen.',
  'serverError.TOTP_ALREADY_ENABLED': 'Votre compte a déjà une application d’authentification.',
  'serverError.PASSKEY_NOT_FOUND': 'Cette clé d’accès est inconnue ici ou a été supprimée. Choisissez un autre moyen.',
  'serverError.AUTHENTICATION_FAILED': 'Cette clé d’accès n’a pas été acceptée. Réessayez, ou choisissez un autre moyen.',
  'serverError.USER_VERIFICATION_REQUIRED':
    'Cette clé ne demande ni empreinte, ni visage, ni code PIN : elle ne sert que de seconde étape. Connectez-vous d’abord avec votre mot de passe.',
  'serverError.CHALLENGE_NOT_FOUND': 'C’était trop long. Veuillez réessayer.',
  'serverError.PREVIOUSLY_REGISTERED': 'Cette clé d’accès existe déjà.',
  'serverError.FAILED_TO_VERIFY_REGISTRATION': 'La clé d’accès n’a pas pu être ajoutée. Veuillez réessayer.',
  'serverError.TOO_MANY_PASSKEYS_REMOVE_ONE_FIRST':
    'Vous avez autant de clés d’accès qu’il est permis. Supprimez-en une d’abord.',
  'serverError.INVALID_OTP': 'Ce code est incorrect',
  'serverError.OTP_EXPIRED': 'Ce code est trop ancien. Faites envoyer un nouvel e-mail',
  'serverError.TOO_MANY_ATTEMPTS': 'Trop de codes incorrects. Faites envoyer un nouvel e-mail',
  'serverError.SIGN_IN_BY_MAIL_IS_NOT_ENABLED': 'La connexion par e-mail est désactivée ici.',
  'serverError.OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED':
    'Ouvrez le lien dans le navigateur où vous l’avez demandé, ou faites envoyer ici un nouvel e-mail.',
  'serverError.PASSKEYS_ARE_NOT_ENABLED': 'Les clés d’accès sont désactivées ici. Choisissez un autre moyen.',
  'serverError.YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY': 'Quelqu’un d’autre est désormais connecté ici. Rechargez la page.',
  'serverError.TOTP_NOT_ENABLED':
    'Votre compte n’a pas d’application d’authentification, ou l’ajout a pris trop de temps. Recommencez.',
  'serverError.BACKUP_CODES_NOT_ENABLED': 'Votre compte n’a pas de codes de secours. Choisissez un autre moyen.',

  'lost.link': 'J’ai perdu tout cela',
  'lost.title': 'Tout est perdu ?',
  'lost.lead': {
    one: 'Vous pourrez vous connecter sans cela après une attente de {count} jour.',
    many: 'Vous pourrez vous connecter sans cela après une attente de {count} de jours.',
    other: 'Vous pourrez vous connecter sans cela après une attente de {count} jours.',
  },
  'lost.how':
    'Nous vous prévenons par e-mail tout de suite et pendant l’attente, pour que vous puissiez tout arrêter si ce n’était pas vous. Ensuite, vous vous connectez de nouveau avec votre mot de passe et saisissez un code que nous envoyons à {email}. Les clés d’accès, l’application et les codes sont alors retirés.',
  'lost.start': 'Commencer l’attente',
  'lost.waitingTitle': 'Il faut attendre',
  'lost.waiting':
    'À partir du {date}, vous pourrez retirer vos seconds facteurs : connectez-vous alors de nouveau avec votre mot de passe.',
  'lost.found': 'Vous en avez retrouvé un ? Connectez-vous avec, et l’attente prend fin.',
  'lost.stop': 'Arrêter l’attente',
  'lost.readyTitle': 'L’attente est terminée',
  'lost.ready':
    'Nous envoyons six chiffres à {email}. Avec eux, les clés d’accès, l’application et les codes sont retirés, et vous êtes connecté.',
  'lost.until': 'C’est possible jusqu’au {date}.',

  'running.title': 'Retrait des seconds facteurs',
  'running.waiting':
    'Quelqu’un qui connaît votre mot de passe a déclaré vos seconds facteurs perdus. À partir du {date}, ils pourront être retirés.',
  'running.ready': 'Jusqu’au {date}, qui connaît votre mot de passe et lit vos e-mails peut retirer vos seconds facteurs.',
  'running.stop': 'Ce n’était pas moi : tout arrêter',
  'running.stopped':
    'Arrêté : vos seconds facteurs restent. La personne qui a essayé connaît votre mot de passe ; changez-le maintenant.',
  'stop.title': 'Ce n’était pas vous ?',
  'stop.text':
    'Quelqu’un qui connaît votre mot de passe veut retirer les seconds facteurs de votre compte. Vous pouvez l’arrêter ; tout le monde est alors déconnecté.',
  'stop.submit': 'Tout arrêter et déconnecter partout',
  'stop.doneTitle': 'Arrêté',
  'stop.done':
    'Vos seconds facteurs restent. La personne qui a essayé connaît votre mot de passe : choisissez-en un nouveau maintenant.',
  'stop.goneTitle': 'Plus rien à arrêter',
  'stop.gone':
    'C’est déjà arrêté, ou déjà fait. Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe et vérifiez les moyens de connexion de votre compte.',
  'stop.newPassword': 'Choisir un nouveau mot de passe',

  'serverError.SECOND_FACTOR_RECOVERY_NOT_AVAILABLE':
    'Vos seconds facteurs ne peuvent pas être retirés ainsi. Demandez de l’aide à votre administrateur.',
  'serverError.SECOND_FACTOR_RECOVERY_NOT_READY':
    'L’attente n’est pas terminée ou a été arrêtée. Connectez-vous de nouveau pour voir où elle en est.',
  'serverError.SECOND_FACTOR_RECOVERY_NOT_FOUND': 'Plus rien à arrêter',
}
