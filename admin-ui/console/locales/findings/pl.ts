import type { MoreMessagesOf } from '../../../shared/i18n.ts'

export const pl: MoreMessagesOf<'pl', 'consoleFindings'> = {
  'findings.client-secret-ends': 'Aplikacja {clientId} nadal używa sekretu, który wygasa {at}',
  'findings.client-secret-ends.remedy': 'podaj aplikacji nowy sekret',
  'findings.client-without-pkce':
    'Aplikacja {clientId} loguje osoby bez PKCE, które chroni ją przed skradzionymi lub podsuniętymi kodami',
  'findings.client-without-pkce.remedy':
    'włącz PKCE (S256) w aplikacji, a potem gatehouse update-client {clientId} --pkce required',
  'findings.client-logo-missing': 'Logo aplikacji {clientId} nie zostało pobrane z {icon}{because}',
  'findings.client-logo-missing.remedy':
    'gatehouse update-client {clientId} --icon <address> próbuje ponownie; --logo <file> bierze plik',
  'findings.identities-rounded':
    'Metody logowania w {provider}, które mogą należeć do dwóch osób, ponieważ wcześniejsze wersje zaokrąglały długie liczby: {count} ({names})',
  'findings.identities-rounded.remedy':
    'porównaj identyfikatory z tymi w {provider}; właściciel usuwa błędny na swoim koncie i łączy właściwy',
  'findings.client-address-unreadable':
    'Zaufany serwer proxy nie wpisuje do {header} zrozumiałego adresu: wszystkie osoby za nim mają wspólny adres i wspólne limity',
  'findings.client-address-unreadable.remedy':
    'zobacz "client address not understood" w dzienniku usługi i ustaw w http.clientAddressHeader nagłówek z adresem',
  'findings.signing-key-old': 'Klucz podpisujący ma ponad {days} dni',
  'findings.signing-key-old.remedy': 'gatehouse rotate-jwks: aplikacje niczego nie zauważą',
  'findings.mails-failed': 'Wiadomości, których nie udało się wysłać: {count}',
  'findings.mails-failed.remedy': 'gatehouse list-mails --state failed mówi, dlaczego; potem gatehouse retry-mail <id>',
  'findings.tasks-failed': 'Porzucone zadania rodzaju {kind}: {count}',
  'findings.tasks-failed.remedy':
    'gatehouse list-tasks --status dead --kind {kind} mówi, dlaczego; potem gatehouse requeue-task lub drop-task',
  'findings.event-reader-fails': 'Czytnik {name} zawodzi od {since} (próby: {failures}, zaległe zdarzenia: {lag}): {why}',
  'findings.event-reader-fails.remedy': 'napraw to, co mówi komunikat; ruszy dalej sam',
  'findings.event-chain-unsealed': 'Ten węzeł nie pieczętuje zdarzeń: brak mu sekretu głównego, którym pieczętuje się łańcuch',
  'findings.event-chain-unsealed.remedy':
    'podaj każdemu węzłowi tę samą listę sekretów: GATEHOUSE_SECRET, najnowszy jako pierwszy',
  'findings.declared-deleted': '{kind} {key} usunięto, a {source} to deklaruje',
  'findings.declared-changed': '{kind} {key} różni się od deklaracji w {source}: {fields}',
  'findings.declared-more': 'Inne obiekty niezgodne z deklaracją: {count}',
  'findings.declared-deleted.remedy': 'gatehouse apply -f z deklaracją przywróci to; albo zadeklaruj stan obecny',
  'findings.declared-changed.remedy': 'gatehouse apply -f z deklaracją przywróci to; albo zadeklaruj stan obecny',
  'findings.declared-more.remedy': 'gatehouse apply -f z deklaracją przywróci to; albo zadeklaruj stan obecny',
  'findings.deliveries-waiting': 'Niezrozumiane zdarzenia rozliczeń w kwarantannie: {count}',
  'findings.deliveries-many': 'Niezrozumiane zdarzenia rozliczeń w kwarantannie: {count} lub więcej',
  'findings.deliveries-waiting.remedy':
    'gatehouse list-deliveries --verdict quarantined; potem replay-delivery lub dismiss-delivery',
  'findings.deliveries-many.remedy':
    'gatehouse list-deliveries --verdict quarantined; potem replay-delivery lub dismiss-delivery',
  'findings.renewals-unheard': 'Klienci, których odnowienia nigdy nie odebrano: {count} ({names})',
  'findings.renewals-unheard.remedy': 'sprawdź w platformie rozliczeniowej, czy jej webhooki tu docierają',
  'findings.secret-unknown': 'Wartości zapieczętowane sekretem, którego nie ma w konfiguracji: {count} ({columns})',
  'findings.secret-unknown.remedy': 'dopisz ten sekret z powrotem za pozostałymi w GATEHOUSE_SECRET',
  'findings.secret-older': 'Wartości zapieczętowane starszym sekretem: {count}',
  'findings.secret-older.remedy': 'gatehouse reencrypt; potem usuń starszy sekret',
  'findings.secret-readable': '{file} z sekretem głównym mogą czytać także inni niż właściciel (tryb {mode})',
  'findings.secret-readable.remedy':
    'chmod 600 {file}; gdy wolumin przywraca tryb, jak fsGroup w Kubernetes, ustaw zamiast tego GATEHOUSE_SECRET_FILE',
  'findings.no-way-in': 'Nikt nie może się zalogować: hasła, klucze dostępu, poczta i dostawcy są wyłączone',
  'findings.no-way-in.remedy':
    'włącz coś: accounts.emailPasswordEnabled, passkeys.enabled, mailSignIn.enabled lub dostawcę w social',
  'findings.pooler-unset': 'PostgreSQL jest za poolerem, który nie utrzymuje sesji: przygotowane zapytania zawodzą',
  'findings.pooler-unset.remedy': 'ustaw database.pooler na transaction albo databaseUrl na adres samego PostgreSQL',
  'findings.pooler-absent':
    'database.pooler to transaction, a poolera nie ma: zapytania nie są przygotowywane, a węzły czekają do dwóch sekund',
  'findings.pooler-absent.remedy': 'ustaw database.pooler na none',
  'findings.pooler-without-limits':
    'Pooler nie przekazuje limitów czasu: PostgreSQL wykonuje zapytania, na które nikt już nie czeka',
  'findings.limits-off': 'limits.enabled jest wyłączone, choć adres publiczny nie jest lokalnym http',
  'findings.url-http': 'url to http: hasła i pliki cookie są przesyłane jawnie',
  'findings.smtp-unset': 'smtpUrl nie jest ustawiony: wiadomości trafiają do plików i do nikogo nie docierają',
  'findings.smtp-plaintext': 'smtpAllowPlaintext jest włączone: kto podsłuchuje drogę do serwera poczty, może użyć linków',
  'findings.any-origin': 'trustedOrigins zawiera *: każda strona może działać w sesji tego, kto ją odwiedza',
  'findings.wide-proxies': 'trustedProxies obejmuje zakres obcych: sami podają swój adres i żaden limit dla adresu nie działa',
  'findings.weak-hashing': 'password.allowWeakHashing jest włączone: ze skradzionych skrótów łatwo zgadywać',
  'findings.limits-off.remedy': 'zmień to, zob. docs/config.md',
  'findings.url-http.remedy': 'zmień to, zob. docs/config.md',
  'findings.smtp-unset.remedy': 'zmień to, zob. docs/config.md',
  'findings.smtp-plaintext.remedy': 'zmień to, zob. docs/config.md',
  'findings.any-origin.remedy': 'zmień to, zob. docs/config.md',
  'findings.wide-proxies.remedy': 'zmień to, zob. docs/config.md',
  'findings.weak-hashing.remedy': 'zmień to, zob. docs/config.md',
  'findings.clocks-apart': 'Zegary tej maszyny i bazy danych różnią się o {seconds} s: polegają na nich terminy, kody i limity',
  'findings.clocks-apart.remedy': 'zsynchronizuj obie maszyny przez NTP',
  'findings.disk-full': 'Wolne miejsce w {directory}, gdzie jest baza danych: {megabytes} MB',
  'findings.disk-full.remedy': 'zwolnij miejsce albo przenieś katalog danych',
  'findings.proxy-untrusted':
    'Adres publiczny to https za serwerem proxy, a żadnemu proxy nie zaufano: wszyscy dzielą jego adres i limity',
  'findings.proxy-untrusted.remedy': 'ustaw w trustedProxies adres proxy',
  'findings.factor-not-required': 'Użytkownik {id} ({role}) od {since} nie ma drugiego składnika i nic go nie wymaga',
  'findings.factor-late':
    'Użytkownik {id} ({role}) nie ma drugiego składnika, wymaganego od {due}: dopóki go nie doda, rola nic nie daje',
  'findings.factor-late.remedy': 'poproś o zalogowanie i dodanie; gatehouse list-factors --user {id}',
  'findings.factor-due': 'Użytkownik {id} ({role}) nie ma drugiego składnika, wymaganego do {due}',
  'findings.factor-due.remedy': 'przypomnij tej osobie; gatehouse list-factors --user {id}',
  'findings.factors-lacking': 'Inni użytkownicy z uprawnieniami instancji bez drugiego składnika: {count}',
  'findings.factors-lacking.remedy': 'gatehouse list-users --role <role> mówi, kto',
  'findings.factors-late': 'Inni użytkownicy bez drugiego składnika, których termin minął: {count}',
  'findings.factors-late-many': 'Inni użytkownicy bez drugiego składnika, których termin minął: ponad {count}',
  'findings.passkeys-ip': '{hostname} to adres IP, dla którego przeglądarki nie oferują kluczy dostępu',
  'findings.passkeys-http': '{url} to http, gdzie przeglądarki nie oferują kluczy dostępu',
  'findings.passkeys-ip.remedy': 'ustaw url na adres https albo passkeys.enabled na false',
  'findings.passkeys-http.remedy': 'ustaw url na adres https albo passkeys.enabled na false',
  'findings.passkeys-missed': 'Użytkownicy, którzy bez kluczy dostępu nie mogą się zalogować, bo nie mają nic innego: {count}',
  'findings.passkeys-missed-among':
    'Spośród pierwszych {all} użytkowników z kluczami dostępu nie może się bez nich zalogować: {count}',
  'findings.passkeys-missed.remedy': 'ustaw passkeys.enabled na true albo gatehouse create-recovery-link dla każdego',
  'findings.passkeys-missed-among.remedy': 'ustaw passkeys.enabled na true albo gatehouse create-recovery-link dla każdego',
  'findings.backup-failed': 'Ostatnia kopia zapasowa nie powiodła się {at}: {why}',
  'findings.backup-missing': 'Nigdy nie wykonano kopii zapasowej',
  'findings.backup-old': 'Ostatnia kopia zapasowa jest z {at}',
  'findings.backup-failed.remedy': 'gatehouse backup wykona ją teraz; backup.directory ustala harmonogram',
  'findings.backup-missing.remedy': 'gatehouse backup wykona ją teraz; backup.directory ustala harmonogram',
  'findings.backup-old.remedy': 'gatehouse backup wykona ją teraz; backup.directory ustala harmonogram',
  'findings.no-administrator': 'Nie ma administratora',
  'findings.breached-file': 'Lista haseł z wycieków ({name}) nie odpowiada od {since}, a hasła są ustawiane bez niej: {why}',
  'findings.breached-service': 'Lista haseł z wycieków ({name}) nie odpowiada od {since}, a hasła są ustawiane bez niej: {why}',
  'findings.breached-file.remedy': 'utwórz ją poleceniem gatehouse import-breached',
  'findings.breached-service.remedy': 'sprawdź, czy password.breached.url jest stąd osiągalny',
  'findings.page-scripts-fail':
    'Błędy skryptów na stronach logowania od wczoraj: {count}. Niektóre osoby mogą nie móc się zalogować',
  'findings.page-scripts-fail.remedy':
    'poszukaj „a script failed on a page” w dzienniku serwera: podaje stronę, błąd i przeglądarkę',
  'findings.check-failed': 'Nie udało się sprawdzić: {why}',
  'findings.check-failed.remedy': 'zobacz dziennik serwera',
}
