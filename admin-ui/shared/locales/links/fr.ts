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
    'Il existe déjà un administrateur : les liens de configuration ne fonctionnent plus. Connectez-vous ; si le mot de passe est perdu, demandez-en un nouveau sur cette page ou définissez-le sur le serveur avec :',
}
