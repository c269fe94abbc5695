import type { MoreMessagesOf } from '../../../shared/i18n.ts'

export const fr: MoreMessagesOf<'fr', 'consoleFindings'> = {
  'findings.client-secret-ends': 'L’application {clientId} utilise encore un secret qui expire le {at}',
  'findings.client-secret-ends.remedy': 'donnez à l’application son nouveau secret',
  'findings.client-without-pkce':
    'L’application {clientId} connecte des personnes sans PKCE, qui la protège des codes volés ou injectés',
  'findings.client-without-pkce.remedy': 'activez PKCE (S256) dans l’application, puis {command}',
  'findings.client-logo-missing': 'Le logo de l’application {clientId} n’a pas été récupéré depuis {icon}{because}',
  'findings.client-logo-missing.remedy': '{command} réessaie ; --logo prend un fichier',
  'findings.identities-rounded':
    'Méthodes de connexion chez {provider} qui peuvent appartenir à deux personnes, car les versions précédentes arrondissaient les longs nombres : {count} ({names})',
  'findings.identities-rounded.remedy':
    'comparer les identifiants avec ceux de {provider} ; le propriétaire retire de son compte celui qui est faux et associe le bon',
  'findings.client-address-unreadable':
    'Un proxy de confiance n’écrit dans {header} aucune adresse compréhensible : toutes les personnes derrière lui partagent son adresse et ses limites',
  'findings.client-address-unreadable.remedy':
    'voir « client address not understood » dans le journal du service, et mettre dans http.clientAddressHeader l’en-tête qui la porte',
  'findings.signing-key-old': 'Une clé de signature a plus de {days} jours',
  'findings.signing-key-old.remedy': '{command} : les applications ne remarquent rien',
  'findings.signing-key-ahead': 'Une clé de signature est datée de {days} jours en avance : l’horloge était fausse à sa création',
  'findings.mails-failed': 'Courriels qui n’ont pas pu être envoyés : {count}',
  'findings.mails-failed.remedy': '{command} dit pourquoi ; puis retry-mail',
  'findings.tasks-failed': 'Tâches du type {kind} abandonnées : {count}',
  'findings.tasks-failed.remedy': '{command} dit pourquoi ; puis requeue-task ou drop-task',
  'findings.event-copy-differs':
    'La copie {copy} contient à la position {position} un événement que la chaîne, qui finit à {head}, n’a pas ainsi : des événements ont été modifiés ou supprimés dans la base, ou c’est un état plus ancien',
  'findings.event-copy-differs.remedy':
    '{command} en dit plus ; après une restauration faite par vous, renommez le fichier de la copie',
  'findings.event-reader-fails':
    'Le lecteur {name} échoue depuis {since} (essais : {failures}, événements en retard : {lag}) : {why}',
  'findings.event-reader-fails.remedy': 'corrigez ce que dit son message ; il reprend tout seul',
  'findings.event-chain-unsealed':
    'Ce nœud ne scelle aucun événement : il n’a pas le secret maître avec lequel la chaîne est scellée',
  'findings.event-chain-unsealed.remedy':
    'donnez à chaque nœud la même liste de secrets : GATEHOUSE_SECRET, le plus récent d’abord',
  'findings.declared-deleted': '{kind} {key} a été supprimé, et {source} le déclare',
  'findings.declared-changed': '{kind} {key} diffère de ce que déclare {source} : {fields}',
  'findings.declared-more': 'Autres objets qui diffèrent de la déclaration : {count}',
  'findings.declared-deleted.remedy': 'apply avec la déclaration le rétablit ; ou déclarez-le tel qu’il est',
  'findings.declared-changed.remedy': 'apply avec la déclaration le rétablit ; ou déclarez-le tel qu’il est',
  'findings.declared-more.remedy': 'apply avec la déclaration le rétablit ; ou déclarez-le tel qu’il est',
  'findings.deliveries-waiting': 'Événements de facturation incompris, en quarantaine : {count}',
  'findings.deliveries-many': 'Événements de facturation incompris, en quarantaine : {count} ou plus',
  'findings.deliveries-waiting.remedy': '{command} ; puis replay-delivery ou dismiss-delivery',
  'findings.deliveries-many.remedy': '{command} ; puis replay-delivery ou dismiss-delivery',
  'findings.renewals-unheard': 'Clients dont le renouvellement n’a jamais été reçu : {count} ({names})',
  'findings.renewals-unheard.remedy': 'vérifiez dans la plateforme de facturation que ses webhooks arrivent ici',
  'findings.secret-unknown': 'Valeurs scellées avec un secret non configuré : {count} ({columns})',
  'findings.secret-unknown.remedy': 'remettez ce secret derrière les autres dans GATEHOUSE_SECRET',
  'findings.secret-older': 'Valeurs scellées avec un secret plus ancien : {count}',
  'findings.secret-older.remedy': '{command} ; puis retirez l’ancien secret',
  'findings.secret-readable': 'D’autres que son propriétaire peuvent lire {file}, qui contient le secret maître (mode {mode})',
  'findings.secret-readable.remedy':
    'chmod 600 {file} ; si le volume rétablit le mode, comme fsGroup de Kubernetes, définissez plutôt GATEHOUSE_SECRET_FILE',
  'findings.no-way-in':
    'Personne ne peut se connecter : mots de passe, clés d’accès, courriel et fournisseurs sont tous désactivés',
  'findings.no-way-in.remedy':
    'activez-en un : accounts.emailPasswordEnabled, passkeys.enabled, mailSignIn.enabled ou un fournisseur sous social',
  'findings.pooler-unset': 'PostgreSQL est atteint par un pooler qui ne garde pas de session : les requêtes préparées y échouent',
  'findings.pooler-unset.remedy': 'réglez database.pooler sur transaction, ou databaseUrl sur l’adresse de PostgreSQL lui-même',
  'findings.pooler-absent':
    'database.pooler vaut transaction et il n’y a pas de pooler : les requêtes ne sont pas préparées et les nœuds attendent jusqu’à deux secondes',
  'findings.pooler-absent.remedy': 'réglez database.pooler sur none',
  'findings.pooler-without-limits':
    'Le pooler ne transmet pas de limite de temps : PostgreSQL poursuit des requêtes que personne n’attend plus',
  'findings.limits-off': 'limits.enabled est désactivé alors que l’adresse publique n’est pas http en local',
  'findings.url-http': 'url est en http : mots de passe et cookies circulent en clair',
  'findings.smtp-unset': 'smtpUrl n’est pas défini : les courriels sont écrits dans des fichiers et n’atteignent personne',
  'findings.smtp-plaintext':
    'smtpAllowPlaintext est activé : qui écoute le chemin vers le serveur de courriel peut utiliser les liens',
  'findings.any-origin': 'trustedOrigins contient * : toute page peut agir avec la session de ses visiteurs',
  'findings.wide-proxies':
    'trustedProxies contient une plage d’inconnus : ils écrivent leur propre adresse, et aucune limite par adresse ne tient',
  'findings.weak-hashing': 'password.allowWeakHashing est activé : deviner à partir de hachages volés coûte peu',
  'findings.limits-off.remedy': 'changez-le, voir docs/reference/config.md',
  'findings.url-http.remedy': 'changez-le, voir docs/reference/config.md',
  'findings.smtp-unset.remedy': 'changez-le, voir docs/reference/config.md',
  'findings.smtp-plaintext.remedy': 'changez-le, voir docs/reference/config.md',
  'findings.any-origin.remedy': 'changez-le, voir docs/reference/config.md',
  'findings.wide-proxies.remedy': 'changez-le, voir docs/reference/config.md',
  'findings.weak-hashing.remedy': 'changez-le, voir docs/reference/config.md',
  'findings.clocks-apart':
    'Les horloges de cette machine et de la base diffèrent de {seconds} s : baux, codes et limites en dépendent',
  'findings.clocks-apart.remedy': 'synchronisez les deux machines par NTP',
  'findings.records-ahead':
    'L’événement le plus récent est daté de {seconds} secondes en avance sur l’horloge de cette machine : elle retarde, ou avançait alors',
  'findings.records-ahead.remedy': 'synchronisez l’horloge par NTP ; si elle est juste, cela cesse une fois cette date passée',
  'findings.disk-full': 'Espace libre dans {directory}, où se trouve la base : {megabytes} Mo',
  'findings.disk-full.remedy': 'faites de la place, ou déplacez le répertoire de données',
  'findings.proxy-untrusted':
    'L’adresse publique est en https derrière un proxy, et aucun n’est de confiance : tous partagent son adresse et ses limites',
  'findings.proxy-untrusted.remedy': 'mettez l’adresse du proxy dans trustedProxies',
  'findings.factor-not-required': 'L’utilisateur {id} ({role}) n’a pas de second facteur depuis {since}, et rien n’en exige',
  'findings.factor-late':
    'L’utilisateur {id} ({role}) n’a pas de second facteur, exigé depuis le {due} : d’ici là, le rôle ne donne rien',
  'findings.factor-late.remedy': 'demandez-lui de se connecter et d’en ajouter un ; {command}',
  'findings.factor-due': 'L’utilisateur {id} ({role}) n’a pas de second facteur, exigé pour le {due}',
  'findings.factor-due.remedy': 'rappelez-le-lui ; {command}',
  'findings.factors-lacking': 'Autres utilisateurs avec des droits sur l’instance et sans second facteur : {count}',
  'findings.factors-lacking.remedy': '{command} dit qui',
  'findings.factors-late': 'Autres utilisateurs sans second facteur dont le délai est passé : {count}',
  'findings.factors-late-many': 'Autres utilisateurs sans second facteur dont le délai est passé : plus de {count}',
  'findings.passkeys-ip': '{hostname} est une adresse IP, pour laquelle les navigateurs n’offrent pas de clés d’accès',
  'findings.passkeys-http': '{url} est en http, où les navigateurs n’offrent pas de clés d’accès',
  'findings.passkeys-ip.remedy': 'mettez une adresse https dans url, ou passkeys.enabled à false',
  'findings.passkeys-http.remedy': 'mettez une adresse https dans url, ou passkeys.enabled à false',
  'findings.passkeys-missed': 'Utilisateurs qui ne peuvent pas se connecter sans clés d’accès, faute d’autre moyen : {count}',
  'findings.passkeys-missed-among':
    'Parmi les {all} premiers utilisateurs avec des clés d’accès, ne peuvent pas se connecter sans elles : {count}',
  'findings.passkeys-missed.remedy': 'mettez passkeys.enabled à true, ou create-recovery-link pour chacun',
  'findings.passkeys-missed-among.remedy': 'mettez passkeys.enabled à true, ou create-recovery-link pour chacun',
  'findings.backup-failed': 'La dernière sauvegarde a échoué le {at} : {why}',
  'findings.backup-missing': 'Aucune sauvegarde n’a jamais été faite',
  'findings.backup-old': 'La dernière sauvegarde date du {at}',
  'findings.backup-failed.remedy': '{command} en fait une maintenant ; backup.directory fixe un calendrier',
  'findings.backup-missing.remedy': '{command} en fait une maintenant ; backup.directory fixe un calendrier',
  'findings.backup-old.remedy': '{command} en fait une maintenant ; backup.directory fixe un calendrier',
  'findings.no-administrator': 'Il n’y a pas d’administrateur',
  'findings.breached-file':
    'La liste des mots de passe divulgués ({name}) ne répond pas depuis {since}, et des mots de passe sont définis sans elle : {why}',
  'findings.breached-service':
    'La liste des mots de passe divulgués ({name}) ne répond pas depuis {since}, et des mots de passe sont définis sans elle : {why}',
  'findings.breached-file.remedy': 'créez-la avec import-breached',
  'findings.breached-service.remedy': 'vérifiez que password.breached.url est joignable d’ici',
  'findings.page-scripts-fail':
    'Erreurs de scripts sur les pages de connexion depuis hier : {count}. Certaines personnes ne peuvent peut-être pas se connecter',
  'findings.page-scripts-fail.remedy':
    'cherchez « a script failed on a page » dans le journal du serveur, qui indique la page, l’erreur et le navigateur',
  'findings.check-failed': 'La vérification a échoué : {why}',
  'findings.check-failed.remedy': 'voir le journal du serveur',
}
