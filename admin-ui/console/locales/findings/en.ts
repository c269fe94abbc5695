/** What the checks find and what mends it, by the codes of the server. A remedy that is a command alone is said by the server. */
export const en = {
  'findings.client-secret-ends': 'The application {clientId} still uses a secret that ends on {at}',
  'findings.client-secret-ends.remedy': 'give the application its new secret',
  'findings.client-without-pkce':
    'The application {clientId} signs people in without PKCE, which protects it from codes that are stolen or slipped in',
  'findings.client-without-pkce.remedy': 'switch PKCE (S256) on in the application, then {command}',
  'findings.client-logo-missing': 'The logo of the application {clientId} was not fetched from {icon}{because}',
  'findings.client-logo-missing.remedy': '{command} tries again; --logo takes a file',
  'findings.identities-rounded':
    'Sign-in methods at {provider} that may belong to two people, since earlier versions rounded long numbers: {count} ({names})',
  'findings.identities-rounded.remedy':
    'compare the ids with those at {provider}; the owner removes a wrong one in the account and links the right one',
  'findings.client-address-unreadable':
    'A trusted proxy writes no address that is understood into {header}: all people behind it share its address and its limits',
  'findings.client-address-unreadable.remedy':
    'see "client address not understood" in the log of the daemon, and set http.clientAddressHeader to the header with it',
  'findings.signing-key-old': 'A signing key is older than {days} days',
  'findings.signing-key-old.remedy': '{command}: applications notice nothing',
  'findings.signing-key-ahead': 'A signing key is dated {days} days ahead: the clock was wrong when it was made',
  'findings.mails-failed': 'Mails that could not be sent: {count}',
  'findings.mails-failed.remedy': '{command} says why; then retry-mail',
  'findings.tasks-failed': 'Tasks of the kind {kind} that were given up: {count}',
  'findings.tasks-failed.remedy': '{command} says why; then requeue-task or drop-task',
  'findings.event-copy-differs':
    '{copy} has an event at position {position} that the chain, which ends at {head}, does not have or has otherwise: events were changed or removed in the database, or the database was set back',
  'findings.event-copy-differs.remedy': '{command} says more; after a restore of your own rename the file of the copy',
  'findings.event-reader-fails': 'The reader {name} fails since {since} (attempts: {failures}, events behind: {lag}): {why}',
  'findings.event-reader-fails.remedy': 'mend what its message names; it goes on by itself',
  'findings.event-chain-unsealed':
    'This node seals no events: it does not have the master secret with which the chain of events is sealed',
  'findings.event-chain-unsealed.remedy': 'give every node the same list of secrets: GATEHOUSE_SECRET, newest first',
  'findings.declared-deleted': '{kind} {key} was deleted, and {source} declares it',
  'findings.declared-changed': '{kind} {key} is otherwise than {source} declares it: {fields}',
  'findings.declared-more': 'More objects that are otherwise than declared: {count}',
  'findings.declared-deleted.remedy': 'apply with the declaration puts it back; or declare it as it is now',
  'findings.declared-changed.remedy': 'apply with the declaration puts it back; or declare it as it is now',
  'findings.declared-more.remedy': 'apply with the declaration puts it back; or declare it as it is now',
  'findings.deliveries-waiting': 'Billing events that were not understood and wait in quarantine: {count}',
  'findings.deliveries-many': 'Billing events that were not understood and wait in quarantine: {count} or more',
  'findings.deliveries-waiting.remedy': '{command}; then replay-delivery or dismiss-delivery',
  'findings.deliveries-many.remedy': '{command}; then replay-delivery or dismiss-delivery',
  'findings.renewals-unheard': 'Customers whose renewal was never heard: {count} ({names})',
  'findings.renewals-unheard.remedy': 'see in the billing platform whether its webhooks reach this instance',
  'findings.secret-unknown': 'Values that are sealed with a secret that is not configured: {count} ({columns})',
  'findings.secret-unknown.remedy': 'put that secret back behind the others in GATEHOUSE_SECRET',
  'findings.secret-older': 'Values that are sealed with an older secret: {count}',
  'findings.secret-older.remedy': '{command}; then take the older secret away',
  'findings.secret-readable': 'Others than its owner can read {file}, which holds the master secret (mode {mode})',
  'findings.secret-readable.remedy':
    'chmod 600 {file}; where the volume sets the mode again, as fsGroup of Kubernetes does, set GATEHOUSE_SECRET_FILE in its place',
  'findings.no-way-in': 'Nobody can sign in: passwords, passkeys, sign-in by mail and providers are all off',
  'findings.no-way-in.remedy':
    'switch one on: accounts.emailPasswordEnabled, passkeys.enabled, mailSignIn.enabled, or a provider below social',
  'findings.schema-differs':
    'The tables are not as the migrations made them, or the user of the database may not use them: {differences}',
  'findings.schema-differs.remedy':
    'grant what is named, create a missing index again or reindex an invalid one, and undo what keeps rows from being read or written',
  'findings.pooler-unset': 'PostgreSQL is reached through a pooler that keeps no sessions: prepared statements fail on it',
  'findings.pooler-unset.remedy': 'set database.pooler to transaction, or databaseUrl to the address of PostgreSQL itself',
  'findings.pooler-absent':
    'database.pooler is transaction, and no pooler is there: statements are not prepared, and nodes wait up to two seconds for news',
  'findings.pooler-absent.remedy': 'set database.pooler to none',
  'findings.pooler-without-limits':
    'The pooler passes no limits of time on: PostgreSQL goes on with a statement that nobody waits for any more',
  'findings.limits-off': 'limits.enabled is off although the public address is not http on loopback',
  'findings.url-http': 'url is http: passwords and cookies travel in the clear',
  'findings.smtp-unset': 'smtpUrl is not set: mails are written to files and reach nobody',
  'findings.smtp-plaintext': 'smtpAllowPlaintext is on: whoever listens on the way to the mail server can use the links of mails',
  'findings.any-origin': 'trustedOrigins holds *: any page may act with the session of who visits it',
  'findings.wide-proxies':
    'trustedProxies holds a range of strangers: they write their own address, and no limit by address holds',
  'findings.weak-hashing': 'password.allowWeakHashing is on: stolen hashes are cheap to guess from',
  'findings.limits-off.remedy': 'change it, see docs/reference/config.md',
  'findings.url-http.remedy': 'change it, see docs/reference/config.md',
  'findings.smtp-unset.remedy': 'change it, see docs/reference/config.md',
  'findings.smtp-plaintext.remedy': 'change it, see docs/reference/config.md',
  'findings.any-origin.remedy': 'change it, see docs/reference/config.md',
  'findings.wide-proxies.remedy': 'change it, see docs/reference/config.md',
  'findings.weak-hashing.remedy': 'change it, see docs/reference/config.md',
  'findings.clocks-apart':
    'The clocks of this machine and of the database are {seconds} s apart: leases, codes and limits rely on them',
  'findings.clocks-apart.remedy': 'synchronise both machines with NTP',
  'findings.records-ahead':
    'The newest event is dated {seconds} seconds ahead of the clock of this machine: the clock is behind, or was ahead then',
  'findings.records-ahead.remedy': 'synchronise the clock with NTP; if it is right, this is over when that time has come',
  'findings.disk-full': 'Free space in {directory}, where the database is: {megabytes} MB',
  'findings.disk-full.remedy': 'make room, or move the data directory',
  'findings.proxy-untrusted':
    'The public address is https, which a proxy serves, and no proxy is trusted: all people share its address and its limits',
  'findings.proxy-untrusted.remedy': 'set trustedProxies to the address of the proxy',
  'findings.factor-not-required': 'The user {id} ({role}) has had no second factor since {since}, and nothing requires one',
  'findings.factor-late':
    'The user {id} ({role}) has no second factor, which was due on {due}: the role gives nothing until they add one',
  'findings.factor-late.remedy': 'have them sign in and add one; {command}',
  'findings.factor-due': 'The user {id} ({role}) has no second factor, which is due on {due}',
  'findings.factor-due.remedy': 'remind them; {command}',
  'findings.factors-lacking': 'More users with permissions of the instance and no second factor: {count}',
  'findings.factors-lacking.remedy': '{command} says who',
  'findings.factors-late': 'Other users without a second factor whose time to add one is over: {count}',
  'findings.factors-late-many': 'Other users without a second factor whose time to add one is over: more than {count}',
  'findings.passkeys-ip': '{hostname} is an IP address, for which browsers offer no passkeys',
  'findings.passkeys-http': '{url} is http, where browsers offer no passkeys',
  'findings.passkeys-ip.remedy': 'set url to an https address, or passkeys.enabled to false',
  'findings.passkeys-http.remedy': 'set url to an https address, or passkeys.enabled to false',
  'findings.passkeys-missed': 'Users who cannot sign in while passkeys are off, for they have nothing else: {count}',
  'findings.passkeys-missed-among':
    'Of the first {all} users with passkeys, those who cannot sign in while passkeys are off: {count}',
  'findings.passkeys-missed.remedy': 'set passkeys.enabled to true, or create-recovery-link for each',
  'findings.passkeys-missed-among.remedy': 'set passkeys.enabled to true, or create-recovery-link for each',
  'findings.backup-failed': 'The last backup failed on {at}: {why}',
  'findings.backup-missing': 'No backup was ever made',
  'findings.backup-old': 'The last backup is of {at}',
  'findings.backup-failed.remedy': '{command} makes one now; backup.directory sets a schedule',
  'findings.backup-missing.remedy': '{command} makes one now; backup.directory sets a schedule',
  'findings.backup-old.remedy': '{command} makes one now; backup.directory sets a schedule',
  'findings.no-administrator': 'There is no administrator',
  'findings.breached-file':
    'The list of breached passwords ({name}) could not be asked since {since}, and passwords are set without it: {why}',
  'findings.breached-service':
    'The list of breached passwords ({name}) could not be asked since {since}, and passwords are set without it: {why}',
  'findings.breached-file.remedy': 'make it with import-breached',
  'findings.breached-service.remedy': 'see that password.breached.url can be reached from here',
  'findings.page-scripts-fail': 'Errors of scripts on hosted pages since yesterday: {count}. People may be unable to sign in',
  'findings.page-scripts-fail.remedy':
    'look for “a script failed on a page” in the log of the daemon, which names page, error and browser',
  'findings.check-failed': 'It could not be checked: {why}',
  'findings.check-failed.remedy': 'see the log of the daemon',
} as const
