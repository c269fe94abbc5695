import type { MoreMessagesOf } from '../../../shared/i18n.ts'

export const de: MoreMessagesOf<'de', 'consoleFindings'> = {
  'findings.client-secret-ends': 'Die Anwendung {clientId} benutzt noch ein Secret, das am {at} endet',
  'findings.client-secret-ends.remedy': 'geben Sie der Anwendung ihr neues Secret',
  'findings.client-without-pkce':
    'Die Anwendung {clientId} meldet Personen ohne PKCE an, das sie vor gestohlenen oder untergeschobenen Codes schützt',
  'findings.client-without-pkce.remedy': 'PKCE (S256) in der Anwendung einschalten, dann {command}',
  'findings.client-logo-missing': 'Das Logo der Anwendung {clientId} wurde nicht von {icon} geholt{because}',
  'findings.client-logo-missing.remedy': '{command} versucht es erneut; --logo nimmt eine Datei',
  'findings.identities-rounded':
    'Anmeldearten bei {provider}, die zwei Personen gehören können, weil frühere Versionen lange Zahlen rundeten: {count} ({names})',
  'findings.identities-rounded.remedy':
    'die IDs mit denen bei {provider} vergleichen; der Besitzer entfernt eine falsche in seinem Konto und verknüpft die richtige',
  'findings.client-address-unreadable':
    'Ein vertrauter Proxy schreibt keine verständliche Adresse in {header}: Alle Personen dahinter teilen sich seine Adresse und seine Grenzen',
  'findings.client-address-unreadable.remedy':
    '"client address not understood" im Protokoll des Dienstes ansehen und http.clientAddressHeader auf die Kopfzeile mit der Adresse setzen',
  'findings.signing-key-old': 'Ein Signaturschlüssel ist älter als {days} Tage',
  'findings.signing-key-old.remedy': '{command}: Anwendungen merken nichts davon',
  'findings.signing-key-ahead': 'Ein Signaturschlüssel ist {days} Tage vordatiert: Die Uhr ging falsch, als er erzeugt wurde',
  'findings.mails-failed': 'Mails, die nicht gesendet werden konnten: {count}',
  'findings.mails-failed.remedy': '{command} sagt, warum; dann retry-mail',
  'findings.tasks-failed': 'Aufgegebene Aufgaben der Art {kind}: {count}',
  'findings.tasks-failed.remedy': '{command} sagt, warum; dann requeue-task oder drop-task',
  'findings.event-copy-differs':
    'Die Kopie {copy} enthält das Ereignis an Position {position} anders als die Kette, die bei {head} endet: In der Datenbank wurden Ereignisse geändert oder entfernt, oder sie ist ein älterer Stand',
  'findings.event-copy-differs.remedy':
    '{command} sagt mehr; nach einer eigenen Wiederherstellung benennen Sie die Datei der Kopie um',
  'findings.event-reader-fails':
    'Der Leser {name} scheitert seit {since} (Versuche: {failures}, Ereignisse im Rückstand: {lag}): {why}',
  'findings.event-reader-fails.remedy': 'beheben Sie, was die Meldung nennt; er macht von selbst weiter',
  'findings.event-chain-unsealed':
    'Dieser Knoten versiegelt keine Ereignisse: Ihm fehlt das Hauptgeheimnis, mit dem die Kette der Ereignisse versiegelt wird',
  'findings.event-chain-unsealed.remedy':
    'geben Sie jedem Knoten dieselbe Liste von Geheimnissen: GATEHOUSE_SECRET, das neueste zuerst',
  'findings.declared-deleted': '{kind} {key} wurde gelöscht, und {source} deklariert es',
  'findings.declared-changed': '{kind} {key} ist anders, als {source} es deklariert: {fields}',
  'findings.declared-more': 'Weitere Objekte, die anders sind als deklariert: {count}',
  'findings.declared-deleted.remedy': 'apply mit der Deklaration stellt es wieder her; oder deklarieren Sie es, wie es jetzt ist',
  'findings.declared-changed.remedy': 'apply mit der Deklaration stellt es wieder her; oder deklarieren Sie es, wie es jetzt ist',
  'findings.declared-more.remedy': 'apply mit der Deklaration stellt es wieder her; oder deklarieren Sie es, wie es jetzt ist',
  'findings.deliveries-waiting': 'Abrechnungsereignisse, die nicht verstanden wurden und in Quarantäne warten: {count}',
  'findings.deliveries-many': 'Abrechnungsereignisse, die nicht verstanden wurden und in Quarantäne warten: {count} oder mehr',
  'findings.deliveries-waiting.remedy': '{command}; dann replay-delivery oder dismiss-delivery',
  'findings.deliveries-many.remedy': '{command}; dann replay-delivery oder dismiss-delivery',
  'findings.renewals-unheard': 'Kunden, deren Verlängerung nie gemeldet wurde: {count} ({names})',
  'findings.renewals-unheard.remedy': 'sehen Sie in der Abrechnungsplattform nach, ob ihre Webhooks hier ankommen',
  'findings.secret-unknown': 'Werte, die mit einem nicht konfigurierten Geheimnis versiegelt sind: {count} ({columns})',
  'findings.secret-unknown.remedy': 'setzen Sie dieses Geheimnis in GATEHOUSE_SECRET wieder hinter die anderen',
  'findings.secret-older': 'Werte, die mit einem älteren Geheimnis versiegelt sind: {count}',
  'findings.secret-older.remedy': '{command}; dann das ältere Geheimnis entfernen',
  'findings.secret-readable': '{file} mit dem Hauptgeheimnis können auch andere als der Eigentümer lesen (Modus {mode})',
  'findings.secret-readable.remedy':
    'chmod 600 {file}; wo das Volume den Modus wieder setzt, wie fsGroup von Kubernetes, stattdessen GATEHOUSE_SECRET_FILE setzen',
  'findings.no-way-in': 'Niemand kann sich anmelden: Passwörter, Passkeys, Anmeldung per Mail und Anbieter sind alle aus',
  'findings.no-way-in.remedy':
    'schalten Sie eines ein: accounts.emailPasswordEnabled, passkeys.enabled, mailSignIn.enabled oder einen Anbieter unter social',
  'findings.pooler-unset':
    'PostgreSQL wird über einen Pooler erreicht, der keine Sitzungen hält: Vorbereitete Anweisungen scheitern daran',
  'findings.pooler-unset.remedy':
    'setzen Sie database.pooler auf transaction oder databaseUrl auf die Adresse von PostgreSQL selbst',
  'findings.pooler-absent':
    'database.pooler ist transaction, und kein Pooler ist da: Anweisungen werden nicht vorbereitet, und Knoten warten bis zu zwei Sekunden auf Neues',
  'findings.pooler-absent.remedy': 'setzen Sie database.pooler auf none',
  'findings.pooler-without-limits':
    'Der Pooler gibt keine Zeitgrenzen weiter: PostgreSQL arbeitet an Anweisungen weiter, auf die niemand mehr wartet',
  'findings.limits-off': 'limits.enabled ist aus, obwohl die öffentliche Adresse nicht http auf diesem Rechner ist',
  'findings.url-http': 'url ist http: Passwörter und Cookies gehen im Klartext durchs Netz',
  'findings.smtp-unset': 'smtpUrl ist nicht gesetzt: Mails werden in Dateien geschrieben und erreichen niemanden',
  'findings.smtp-plaintext':
    'smtpAllowPlaintext ist an: Wer auf dem Weg zum Mailserver mithört, kann die Links der Mails benutzen',
  'findings.any-origin': 'trustedOrigins enthält *: Jede Seite kann mit der Sitzung ihrer Besucher handeln',
  'findings.wide-proxies':
    'trustedProxies enthält einen Bereich mit Fremden: Sie schreiben ihre Adresse selbst, und keine Grenze je Adresse hält',
  'findings.weak-hashing': 'password.allowWeakHashing ist an: Aus gestohlenen Hashes lässt sich billig raten',
  'findings.limits-off.remedy': 'ändern Sie es, siehe docs/reference/config.md',
  'findings.url-http.remedy': 'ändern Sie es, siehe docs/reference/config.md',
  'findings.smtp-unset.remedy': 'ändern Sie es, siehe docs/reference/config.md',
  'findings.smtp-plaintext.remedy': 'ändern Sie es, siehe docs/reference/config.md',
  'findings.any-origin.remedy': 'ändern Sie es, siehe docs/reference/config.md',
  'findings.wide-proxies.remedy': 'ändern Sie es, siehe docs/reference/config.md',
  'findings.weak-hashing.remedy': 'ändern Sie es, siehe docs/reference/config.md',
  'findings.clocks-apart':
    'Die Uhren dieses Rechners und der Datenbank gehen {seconds} s auseinander: Fristen, Codes und Grenzen verlassen sich darauf',
  'findings.clocks-apart.remedy': 'gleichen Sie beide Rechner mit NTP ab',
  'findings.records-ahead':
    'Das neueste Ereignis liegt {seconds} Sekunden vor der Uhr dieses Rechners: Die Uhr geht nach oder ging damals vor',
  'findings.records-ahead.remedy':
    'gleichen Sie die Uhr mit NTP ab; geht sie richtig, ist dies vorbei, sobald diese Zeit gekommen ist',
  'findings.disk-full': 'Freier Platz in {directory}, wo die Datenbank liegt: {megabytes} MB',
  'findings.disk-full.remedy': 'schaffen Sie Platz oder verlegen Sie das Datenverzeichnis',
  'findings.proxy-untrusted':
    'Die öffentliche Adresse ist https über einen Proxy, und keinem Proxy wird vertraut: Alle teilen seine Adresse und seine Grenzen',
  'findings.proxy-untrusted.remedy': 'setzen Sie trustedProxies auf die Adresse des Proxys',
  'findings.factor-not-required': 'Der Benutzer {id} ({role}) hat seit {since} keinen zweiten Faktor, und nichts verlangt einen',
  'findings.factor-late':
    'Der Benutzer {id} ({role}) hat keinen zweiten Faktor, der am {due} fällig war: Bis dahin gibt die Rolle nichts',
  'findings.factor-late.remedy': 'lassen Sie die Person sich anmelden und einen hinzufügen; {command}',
  'findings.factor-due': 'Der Benutzer {id} ({role}) hat keinen zweiten Faktor, der am {due} fällig ist',
  'findings.factor-due.remedy': 'erinnern Sie die Person; {command}',
  'findings.factors-lacking': 'Weitere Benutzer mit Rechten der Instanz und ohne zweiten Faktor: {count}',
  'findings.factors-lacking.remedy': '{command} sagt, wer',
  'findings.factors-late': 'Andere Benutzer ohne zweiten Faktor, deren Frist vorbei ist: {count}',
  'findings.factors-late-many': 'Andere Benutzer ohne zweiten Faktor, deren Frist vorbei ist: mehr als {count}',
  'findings.passkeys-ip': '{hostname} ist eine IP-Adresse, für die Browser keine Passkeys anbieten',
  'findings.passkeys-http': '{url} ist http, wo Browser keine Passkeys anbieten',
  'findings.passkeys-ip.remedy': 'setzen Sie url auf eine https-Adresse oder passkeys.enabled auf false',
  'findings.passkeys-http.remedy': 'setzen Sie url auf eine https-Adresse oder passkeys.enabled auf false',
  'findings.passkeys-missed': 'Benutzer, die sich ohne Passkeys nicht anmelden können, weil sie nichts anderes haben: {count}',
  'findings.passkeys-missed-among':
    'Von den ersten {all} Benutzern mit Passkeys können sich ohne Passkeys nicht anmelden: {count}',
  'findings.passkeys-missed.remedy': 'setzen Sie passkeys.enabled auf true, oder create-recovery-link für jeden',
  'findings.passkeys-missed-among.remedy': 'setzen Sie passkeys.enabled auf true, oder create-recovery-link für jeden',
  'findings.backup-failed': 'Die letzte Sicherung ist am {at} fehlgeschlagen: {why}',
  'findings.backup-missing': 'Es gab noch nie eine Sicherung',
  'findings.backup-old': 'Die letzte Sicherung ist vom {at}',
  'findings.backup-failed.remedy': '{command} macht jetzt eine; backup.directory legt einen Plan fest',
  'findings.backup-missing.remedy': '{command} macht jetzt eine; backup.directory legt einen Plan fest',
  'findings.backup-old.remedy': '{command} macht jetzt eine; backup.directory legt einen Plan fest',
  'findings.no-administrator': 'Es gibt keinen Administrator',
  'findings.breached-file':
    'Die Liste geleakter Passwörter ({name}) antwortet seit {since} nicht, und Passwörter werden ohne sie gesetzt: {why}',
  'findings.breached-service':
    'Die Liste geleakter Passwörter ({name}) antwortet seit {since} nicht, und Passwörter werden ohne sie gesetzt: {why}',
  'findings.breached-file.remedy': 'erstellen Sie sie mit import-breached',
  'findings.breached-service.remedy': 'sorgen Sie dafür, dass password.breached.url von hier erreichbar ist',
  'findings.page-scripts-fail':
    'Skriptfehler auf den Anmeldeseiten seit gestern: {count}. Manche können sich vielleicht nicht anmelden',
  'findings.page-scripts-fail.remedy':
    'suchen Sie im Log des Servers nach „a script failed on a page“: Dort stehen Seite, Fehler und Browser',
  'findings.check-failed': 'Es konnte nicht geprüft werden: {why}',
  'findings.check-failed.remedy': 'sehen Sie im Log des Servers nach',
}
