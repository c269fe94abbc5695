import type { MoreMessagesOf } from '../../../shared/i18n.ts'

export const tr: MoreMessagesOf<'tr', 'consoleFindings'> = {
  'findings.client-secret-ends': '{clientId} uygulaması {at} tarihinde sona eren bir gizli anahtarı hâlâ kullanıyor',
  'findings.client-secret-ends.remedy': 'uygulamaya yeni gizli anahtarını verin',
  'findings.client-without-pkce':
    '{clientId} uygulaması kişileri PKCE olmadan giriş yaptırıyor; PKCE çalınan veya araya sokulan kodlara karşı korur',
  'findings.client-without-pkce.remedy': 'uygulamada PKCE’yi (S256) açın, sonra {command}',
  'findings.client-logo-missing': '{clientId} uygulamasının logosu {icon} adresinden alınamadı{because}',
  'findings.client-logo-missing.remedy': '{command} yeniden dener; --logo bir dosya alır',
  'findings.identities-rounded':
    'Önceki sürümler uzun sayıları yuvarladığı için iki kişiye ait olabilecek {provider} oturum açma yöntemleri: {count} ({names})',
  'findings.identities-rounded.remedy':
    'kimlikleri {provider} içindekilerle karşılaştırın; sahibi yanlış olanı hesabından kaldırır ve doğrusunu bağlar',
  'findings.client-address-unreadable':
    'Güvenilen bir vekil sunucu {header} başlığına anlaşılır bir adres yazmıyor: arkasındaki herkes onun adresini ve sınırlarını paylaşıyor',
  'findings.client-address-unreadable.remedy':
    'hizmetin günlüğünde "client address not understood" satırına bakın ve http.clientAddressHeader değerini adresi taşıyan başlığa ayarlayın',
  'findings.signing-key-old': 'Bir imza anahtarı {days} günden eski',
  'findings.signing-key-old.remedy': '{command}: uygulamalar bir şey fark etmez',
  'findings.signing-key-ahead': 'Bir imza anahtarının tarihi {days} gün ileride: oluşturulduğunda saat yanlıştı',
  'findings.mails-failed': 'Gönderilemeyen postalar: {count}',
  'findings.mails-failed.remedy': '{command} nedenini söyler; sonra retry-mail',
  'findings.tasks-failed': 'Vazgeçilen {kind} türü görevler: {count}',
  'findings.tasks-failed.remedy': '{command} nedenini söyler; sonra requeue-task ya da drop-task',
  'findings.event-copy-differs':
    '{copy} kopyasında {position} konumundaki olay, {head} konumunda biten zincirde yok ya da farklı: veritabanında olaylar değiştirilmiş veya silinmiş, ya da veritabanı daha eski bir durumda',
  'findings.event-copy-differs.remedy':
    '{command} ayrıntıyı gösterir; geri yüklemeyi siz yaptıysanız kopyanın dosyasını yeniden adlandırın',
  'findings.event-reader-fails':
    '{name} okuyucusu {since} tarihinden beri başarısız (deneme: {failures}, bekleyen olay: {lag}): {why}',
  'findings.event-reader-fails.remedy': 'mesajının belirttiğini düzeltin; kendiliğinden devam eder',
  'findings.event-chain-unsealed': 'Bu düğüm olayları mühürlemiyor: zincirin mühürlendiği ana gizli anahtar onda yok',
  'findings.event-chain-unsealed.remedy': 'her düğüme aynı gizli anahtar listesini verin: GATEHOUSE_SECRET, en yenisi önce',
  'findings.declared-deleted': '{kind} {key} silinmiş, oysa {source} onu bildiriyor',
  'findings.declared-changed': '{kind} {key}, {source} bildirdiğinden farklı: {fields}',
  'findings.declared-more': 'Bildirilenden farklı diğer nesneler: {count}',
  'findings.declared-deleted.remedy': 'bildirimle apply geri getirir; ya da şimdiki gibi bildirin',
  'findings.declared-changed.remedy': 'bildirimle apply geri getirir; ya da şimdiki gibi bildirin',
  'findings.declared-more.remedy': 'bildirimle apply geri getirir; ya da şimdiki gibi bildirin',
  'findings.deliveries-waiting': 'Anlaşılmayan ve karantinada bekleyen faturalama olayları: {count}',
  'findings.deliveries-many': 'Anlaşılmayan ve karantinada bekleyen faturalama olayları: {count} ya da daha fazla',
  'findings.deliveries-waiting.remedy': '{command}; sonra replay-delivery ya da dismiss-delivery',
  'findings.deliveries-many.remedy': '{command}; sonra replay-delivery ya da dismiss-delivery',
  'findings.renewals-unheard': 'Yenilemesi hiç duyulmayan müşteriler: {count} ({names})',
  'findings.renewals-unheard.remedy': 'faturalama platformunda webhook’larının buraya ulaşıp ulaşmadığına bakın',
  'findings.secret-unknown': 'Yapılandırılmamış bir gizli anahtarla mühürlenen değerler: {count} ({columns})',
  'findings.secret-unknown.remedy': 'bu gizli anahtarı GATEHOUSE_SECRET içinde diğerlerinin ardına geri koyun',
  'findings.secret-older': 'Eski bir gizli anahtarla mühürlenen değerler: {count}',
  'findings.secret-older.remedy': '{command}; sonra eski gizli anahtarı kaldırın',
  'findings.secret-readable': 'Ana gizli anahtarı içeren {file} dosyasını sahibinden başkaları da okuyabiliyor (kip {mode})',
  'findings.secret-readable.remedy':
    'chmod 600 {file}; birim kipi yeniden ayarlıyorsa (Kubernetes fsGroup gibi), bunun yerine GATEHOUSE_SECRET_FILE ayarlayın',
  'findings.no-way-in': 'Kimse giriş yapamaz: parolalar, geçiş anahtarları, postayla giriş ve sağlayıcılar kapalı',
  'findings.no-way-in.remedy':
    'birini açın: accounts.emailPasswordEnabled, passkeys.enabled, mailSignIn.enabled ya da social altında bir sağlayıcı',
  'findings.pooler-unset': 'PostgreSQL’e oturum tutmayan bir havuzlayıcıyla ulaşılıyor: hazırlanmış sorgular başarısız olur',
  'findings.pooler-unset.remedy': 'database.pooler’ı transaction, ya da databaseUrl’yi PostgreSQL’in kendi adresi yapın',
  'findings.pooler-absent':
    'database.pooler transaction, ama havuzlayıcı yok: sorgular hazırlanmaz ve düğümler iki saniyeye kadar bekler',
  'findings.pooler-absent.remedy': 'database.pooler’ı none yapın',
  'findings.pooler-without-limits':
    'Havuzlayıcı süre sınırlarını iletmiyor: PostgreSQL artık kimsenin beklemediği sorgulara devam eder',
  'findings.limits-off': 'Genel adres yerel http olmadığı hâlde limits.enabled kapalı',
  'findings.url-http': 'url http: parolalar ve çerezler açık gider',
  'findings.smtp-unset': 'smtpUrl ayarlı değil: postalar dosyalara yazılır ve kimseye ulaşmaz',
  'findings.smtp-plaintext':
    'smtpAllowPlaintext açık: posta sunucusuna giden yolu dinleyen, postalardaki bağlantıları kullanabilir',
  'findings.any-origin': 'trustedOrigins * içeriyor: her sayfa ziyaretçisinin oturumuyla davranabilir',
  'findings.wide-proxies':
    'trustedProxies yabancıların olduğu bir aralık içeriyor: adreslerini kendileri yazar, adrese göre hiçbir sınır tutmaz',
  'findings.weak-hashing': 'password.allowWeakHashing açık: çalınan özetlerden tahmin etmek ucuz',
  'findings.limits-off.remedy': 'değiştirin, bkz. docs/reference/config.md',
  'findings.url-http.remedy': 'değiştirin, bkz. docs/reference/config.md',
  'findings.smtp-unset.remedy': 'değiştirin, bkz. docs/reference/config.md',
  'findings.smtp-plaintext.remedy': 'değiştirin, bkz. docs/reference/config.md',
  'findings.any-origin.remedy': 'değiştirin, bkz. docs/reference/config.md',
  'findings.wide-proxies.remedy': 'değiştirin, bkz. docs/reference/config.md',
  'findings.weak-hashing.remedy': 'değiştirin, bkz. docs/reference/config.md',
  'findings.clocks-apart':
    'Bu makinenin ve veritabanının saatleri {seconds} sn farklı: süreler, kodlar ve sınırlar onlara dayanır',
  'findings.clocks-apart.remedy': 'iki makineyi NTP ile eşitleyin',
  'findings.records-ahead':
    'En yeni olayın tarihi bu makinenin saatinden {seconds} saniye ileride: saat geri kalıyor ya da o zaman ileriydi',
  'findings.records-ahead.remedy': 'saati NTP ile eşitleyin; doğruysa, o zaman gelince bu sona erer',
  'findings.disk-full': 'Veritabanının bulunduğu {directory} içinde boş yer: {megabytes} MB',
  'findings.disk-full.remedy': 'yer açın ya da veri dizinini taşıyın',
  'findings.proxy-untrusted':
    'Genel adres bir vekil sunucunun ardında https ve hiçbir vekile güvenilmiyor: herkes onun adresini ve sınırlarını paylaşır',
  'findings.proxy-untrusted.remedy': 'trustedProxies’i vekil sunucunun adresi yapın',
  'findings.factor-not-required':
    '{id} kullanıcısının ({role}) {since} tarihinden beri ikinci etkeni yok ve hiçbir şey istemiyor',
  'findings.factor-late':
    '{id} kullanıcısının ({role}) {due} tarihinde gereken ikinci etkeni yok: ekleyene kadar rol bir şey vermez',
  'findings.factor-late.remedy': 'giriş yapıp eklemesini isteyin; {command}',
  'findings.factor-due': '{id} kullanıcısının ({role}) {due} tarihine kadar gereken ikinci etkeni yok',
  'findings.factor-due.remedy': 'hatırlatın; {command}',
  'findings.factors-lacking': 'Örnek üzerinde yetkisi olup ikinci etkeni olmayan diğer kullanıcılar: {count}',
  'findings.factors-lacking.remedy': '{command} kim olduklarını söyler',
  'findings.factors-late': 'Süresi dolmuş, ikinci etkeni olmayan diğer kullanıcılar: {count}',
  'findings.factors-late-many': 'Süresi dolmuş, ikinci etkeni olmayan diğer kullanıcılar: {count} üzeri',
  'findings.passkeys-ip': '{hostname} bir IP adresi; tarayıcılar bunun için geçiş anahtarı sunmaz',
  'findings.passkeys-http': '{url} http; tarayıcılar burada geçiş anahtarı sunmaz',
  'findings.passkeys-ip.remedy': 'url’yi bir https adresi, ya da passkeys.enabled’ı false yapın',
  'findings.passkeys-http.remedy': 'url’yi bir https adresi, ya da passkeys.enabled’ı false yapın',
  'findings.passkeys-missed': 'Geçiş anahtarları kapalıyken, başka yolu olmadığı için giremeyen kullanıcılar: {count}',
  'findings.passkeys-missed-among': 'Geçiş anahtarı olan ilk {all} kullanıcıdan, onlarsız giremeyenler: {count}',
  'findings.passkeys-missed.remedy': 'passkeys.enabled’ı true yapın, ya da her biri için create-recovery-link',
  'findings.passkeys-missed-among.remedy': 'passkeys.enabled’ı true yapın, ya da her biri için create-recovery-link',
  'findings.backup-failed': 'Son yedekleme {at} tarihinde başarısız oldu: {why}',
  'findings.backup-missing': 'Hiç yedek alınmadı',
  'findings.backup-old': 'Son yedek {at} tarihli',
  'findings.backup-failed.remedy': '{command} şimdi alır; backup.directory bir takvim belirler',
  'findings.backup-missing.remedy': '{command} şimdi alır; backup.directory bir takvim belirler',
  'findings.backup-old.remedy': '{command} şimdi alır; backup.directory bir takvim belirler',
  'findings.no-administrator': 'Yönetici yok',
  'findings.breached-file':
    'Sızmış parolalar listesine ({name}) {since} tarihinden beri sorulamıyor ve parolalar onsuz belirleniyor: {why}',
  'findings.breached-service':
    'Sızmış parolalar listesine ({name}) {since} tarihinden beri sorulamıyor ve parolalar onsuz belirleniyor: {why}',
  'findings.breached-file.remedy': 'import-breached ile oluşturun',
  'findings.breached-service.remedy': 'password.breached.url’ye buradan ulaşılabildiğinden emin olun',
  'findings.page-scripts-fail': 'Dünden beri giriş sayfalarındaki betik hataları: {count}. Bazı kişiler giriş yapamıyor olabilir',
  'findings.page-scripts-fail.remedy':
    'sunucunun günlüğünde “a script failed on a page” ifadesini arayın: sayfayı, hatayı ve tarayıcıyı belirtir',
  'findings.check-failed': 'Denetlenemedi: {why}',
  'findings.check-failed.remedy': 'sunucunun günlüğüne bakın',
}
