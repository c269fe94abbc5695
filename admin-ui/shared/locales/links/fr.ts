import type { LinkMessagesOf } from '../../i18n.ts'

export const fr: LinkMessagesOf<'fr'> = {
  'confirmEmail.title': 'Confirmez votre adresse e-mail',
  'confirmEmail.text': 'Vous nous avez demandé de vérifier cette adresse. Un clic suffit.',
  'confirmEmail.submit': 'Confirmer l’adresse',
  'confirmEmail.withPassword':
    'Il y a ici un compte avec {email}. Saisissez le mot de passe choisi pour ce compte, et l’adresse sera confirmée.',
  'confirmEmail.notMine': 'Je ne le connais pas, ou je n’ai pas créé ce compte',
  'confirmEmail.claimTitle': 'Reprendre ce compte',
  'confirmEmail.claim':
    'Choisissez un nouveau mot de passe pour {email}. La personne qui a créé le compte est déconnectée partout et perd ses autres moyens de connexion.',
  'confirmEmail.claimSubmit': 'Enregistrer et confirmer',
  'confirmEmail.usePassword': 'Je connais le mot de passe',
  'notMe.title': 'Ce n’était pas vous ?',
  'notMe.text':
    'Tout le monde est aussitôt déconnecté de votre compte, ce navigateur aussi, et les applications perdent leur accès. Rien ne se passe avant que vous n’utilisiez le bouton.',
  'notMe.submit': 'Ce n’était pas moi : déconnecter partout',
  'notMe.doneTitle': 'Tout le monde est déconnecté',
  'notMe.mailed':
    'Votre mot de passe ne permet plus de se connecter. Un lien pour en choisir un nouveau est en route vers {email}.',
  'notMe.noPassword':
    'Reconnectez-vous pour voir votre compte. Si vous n’y arrivez pas, demandez de l’aide à votre administrateur.',
  'notMe.removed': 'Ce qui a été retiré de votre compte',
  'notMe.waysIn': 'Ce qui permet encore de se connecter à votre compte',
  'notMe.remove': 'Si l’un de ces moyens n’est pas à vous, connectez-vous et retirez-le aussitôt.',
  'notMe.provider': 'Compte chez {name}',
  'notMe.passkey': 'Clé d’accès : {name}',
  'notMe.securityKey': 'Clé de sécurité : {name}',
  'notMe.totp': 'Application d’authentification',
  'notMe.mail': 'Un e-mail à {email}',
  'notMe.help': 'Demander de l’aide',
  'notMe.invalid':
    'Il a déjà servi, il est trop ancien, ou votre compte a maintenant une autre adresse. Si quelqu’un d’autre est peut-être connecté à votre compte, choisissez un nouveau mot de passe ou demandez de l’aide.',
  'recover.leadAlone':
    'L’adresse de votre compte a été modifiée. Si ce n’était pas vous, reprenez-la : {email} redevient son adresse.',
  'recover.doneAlone': 'Son adresse est de nouveau {email}. Connectez-vous comme avant.',
  'recover.title': 'Récupérer votre compte',
  'recover.lead':
    'L’adresse de votre compte a été changée. Si ce n’était pas vous, choisissez un nouveau mot de passe : {email} redevient son adresse.',
  'recover.loses':
    'Tout le monde est déconnecté, et les comptes et applications reliés sont dissociés. Vous pourrez les relier de nouveau.',
  'recover.submit': 'Récupérer le compte',
  'recover.doneTitle': 'Le compte est de nouveau à vous',
  'recover.done': 'Son adresse est de nouveau {email}. Connectez-vous désormais avec le nouveau mot de passe.',
  'recover.invalid':
    'Les liens pour récupérer un compte ne servent qu’une fois et pour un temps limité. Si vous ne pouvez pas vous connecter, demandez de l’aide à votre administrateur.',

  'setup.title': 'Bienvenue dans gatehouse',
  'setup.lead': 'Créez le premier administrateur. Ensuite, ce lien ne servira plus.',
  'setup.submit': 'Créer l’administrateur',
  'setup.working': 'Installation en cours…',
  'setup.usedTitle': 'Ce lien d’installation a déjà servi',
  'setup.used': 'Il fonctionne une seule fois, pendant une heure. Créez-en un nouveau sur le serveur avec :',
  'setup.missingTitle': 'Il faut un lien d’installation',
  'setup.missing': 'Il a été écrit dans le journal au premier démarrage. Créez-en un nouveau sur le serveur avec :',
  'setup.doneTitle': 'Ce serveur est déjà configuré',
  'setup.done':
    'Il existe déjà un administrateur : les liens de configuration ne fonctionnent plus. Connectez-vous ; si le mot de passe est perdu, demandez-en un nouveau sur cette page ou définissez-le sur le serveur avec set-password. Cette commande indique les administrateurs :',

  'error.title': 'Un problème est survenu',
  'error.text': 'L’opération n’a pas pu aboutir. Revenir en arrière et réessayer suffit souvent.',
  'error.link.title': 'Ce lien ne fonctionne plus',
  'error.link.text':
    'Les liens de nos e-mails fonctionnent une seule fois et pour une durée limitée. Connectez-vous pour en recevoir un nouveau.',
  'error.otherBrowser.title': 'Connectez-vous d’abord',
  'error.otherBrowser.text': 'Ce lien ne fonctionne que là où vous êtes connecté. Connectez-vous ici, puis ouvrez-le à nouveau.',
  'error.banned.title': 'Compte bloqué',
  'error.banned.text':
    'Votre compte est bloqué et vous ne pouvez pas vous connecter. Contactez l’assistance si vous pensez qu’il s’agit d’une erreur.',
  'error.denied.title': 'L’accès n’a pas été accordé',
  'error.denied.text':
    'L’application n’a pas obtenu l’accès à votre compte. Si ce n’était pas voulu, revenez en arrière et réessayez.',
  'error.client.title': 'Application inconnue',
  'error.client.text': 'L’application d’où vous venez n’est pas enregistrée ici. Ses responsables pourront vous en dire plus.',
  'error.clientDisabled.title': 'Application désactivée',
  'error.clientDisabled.text':
    'La connexion à cette application est désactivée pour le moment. Adressez-vous à votre administrateur.',
  'error.impersonation.title': 'Vous agissez comme quelqu’un d’autre',
  'error.impersonation.text':
    'L’application d’où vous venez attribuerait tous vos actes à cette personne. Cessez d’agir comme elle et connectez-vous vous-même. Son exploitant peut indiquer qu’elle comprend le claim act.',
  'error.request.title': 'Cette demande est illisible',
  'error.request.text':
    'L’application d’où vous venez a demandé quelque chose à quoi nous ne pouvons pas répondre. Ses responsables peuvent y remédier.',
  'error.notLinked.title': 'Ce compte n’est pas associé',
  'error.notLinked.text':
    'Un compte existe avec cette adresse, mais il n’est pas associé au service choisi. Connectez-vous comme d’habitude, puis associez-le dans votre compte.',
  'error.linkedElsewhere.title': 'Associé à quelqu’un d’autre',
  'error.linkedElsewhere.text': 'Le compte choisi est associé à une autre personne ici. Dissociez-le d’abord de ce côté.',
  'error.emailMismatch.title': 'Les adresses sont différentes',
  'error.emailMismatch.text':
    'Le compte choisi n’a pas la même adresse e-mail que le vôtre. Choisissez-en un avec la même adresse.',
  'error.provider.title': 'L’autre service n’a pas répondu',
  'error.provider.text': 'Le service choisi ne nous a pas dit qui vous êtes. Veuillez réessayer.',
  'error.providerEmail.title': 'Pas d’adresse e-mail',
  'error.providerEmail.text':
    'Le service choisi ne nous a pas communiqué votre adresse e-mail. Autorisez-le, ou connectez-vous autrement.',
  'error.signUpOff.title': 'Les inscriptions sont fermées',
  'error.signUpOff.text': 'Vous n’avez pas encore de compte, et c’est un administrateur qui les crée ici.',
  'error.mailLink.title': 'Demandé dans un autre navigateur',
  'error.mailLink.text': 'Ouvrez le lien dans le navigateur où vous l’avez demandé, ou demandez un nouvel e-mail ici.',
  'error.mailSignInOff.title': 'Pas de connexion par e-mail',
  'error.mailSignInOff.text': 'La connexion par e-mail est désactivée ici. Choisissez un autre moyen de vous connecter.',
  'error.server.title': 'C’est notre faute',
  'error.server.text': 'Une erreur s’est produite de notre côté. Elle est consignée ; veuillez réessayer dans un instant.',
  'error.details': 'Détails',
  'error.code': 'Code',
  'error.requestId': 'Requête',

  'forgot.title': 'Mot de passe oublié ?',
  'forgot.lead': 'Saisissez votre adresse : nous vous enverrons un lien pour en choisir un nouveau.',
  'forgot.submit': 'Envoyer le lien',
  'forgot.sentTo': 'S’il existe un compte pour {email}, un lien pour choisir un nouveau mot de passe est en route.',
  'forgot.hint': 'Il fonctionne une seule fois et pour une durée limitée. Rien reçu ? Regardez dans les spams, ou renvoyez-le.',
  'reset.title': 'Choisissez un nouveau mot de passe',
  'reset.lead': 'Il remplace l’ancien. Tous vos appareils seront déconnectés.',
  'reset.submit': 'Définir le mot de passe',
  'reset.invalidTitle': 'Ce lien ne fonctionne plus',
  'reset.invalid': 'Les liens de mot de passe fonctionnent une seule fois et pour une durée limitée. Demandez-en un nouveau.',
  'reset.again': 'Envoyer un nouveau lien',
  'reset.doneTitle': 'Votre mot de passe est modifié',
  'reset.done': 'Connectez-vous désormais avec le nouveau.',
  'reset.claim.title': 'Un compte a été créé avec votre adresse',
  'reset.claim.text': 'Un compte avec {email} a été créé le {date}. Personne n’a encore confirmé l’adresse. Ce compte possède :',
  'reset.claim.members': { one: '{count} membre', many: '{count} de membres', other: '{count} membres' },
  'reset.claim.keys': { one: '{count} clé d’API', many: '{count} de clés d’API', other: '{count} clés d’API' },
  'reset.claim.invitations': {
    one: '{count} invitation en attente',
    many: '{count} d’invitations en attente',
    other: '{count} invitations en attente',
  },
  'reset.claim.nothing': 'Aucune organisation ni clé d’API',
  'reset.claim.start-fresh': 'Repartir de zéro',
  'reset.claim.start-fresh.hint': 'Vous obtenez un nouveau compte. L’autre garde tout, sauf votre adresse.',
  'reset.claim.take-over': 'Reprendre le compte',
  'reset.claim.take-over.hint':
    'À choisir si vous avez créé ce compte. Les autres méthodes de connexion, ses clés d’API et ses invitations en attente prennent fin.',
  'reset.claim.only':
    'Le compte devient le vôtre. Les autres méthodes de connexion, ses clés d’API et ses invitations en attente prennent fin.',
  'reset.claim.membersOf': 'Qui partage {name} avec vous',
  'reset.claim.more': { one: 'et {count} autre', many: 'et {count} d’autres', other: 'et {count} autres' },
  'reset.claim.remove': 'Connectez-vous et retirez les membres que vous ne connaissez pas.',
  'verified.title': 'Votre adresse est vérifiée',
  'verified.text': 'Merci. Tout est prêt.',
  'deleted.title': 'Votre compte est supprimé',
  'deleted.text': 'Merci d’avoir été des nôtres. Vous pouvez fermer cette page.',
}
