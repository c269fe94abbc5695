import type { MoreMessagesOf } from '../../../shared/i18n.ts'

export const ru: MoreMessagesOf<'ru', 'consoleFindings'> = {
  'findings.client-secret-ends': 'Приложение {clientId} всё ещё использует секрет, который истекает {at}',
  'findings.client-secret-ends.remedy': 'передайте приложению новый секрет',
  'findings.client-without-pkce':
    'Приложение {clientId} выполняет вход без PKCE, который защищает от украденных и подменённых кодов',
  'findings.client-without-pkce.remedy': 'включите PKCE (S256) в приложении, затем {command}',
  'findings.client-logo-missing': 'Логотип приложения {clientId} не удалось получить с {icon}{because}',
  'findings.client-logo-missing.remedy': '{command} пробует снова; --logo берёт файл',
  'findings.identities-rounded':
    'Способы входа через {provider}, которые могут принадлежать двум людям, потому что прежние версии округляли длинные числа: {count} ({names})',
  'findings.identities-rounded.remedy':
    'сравните идентификаторы с теми, что в {provider}; владелец удаляет неверный в своей учётной записи и привязывает верный',
  'findings.client-address-unreadable':
    'Доверенный прокси не записывает в {header} понятного адреса: у всех людей за ним общий адрес и общие ограничения',
  'findings.client-address-unreadable.remedy':
    'смотрите «client address not understood» в журнале службы и укажите в http.clientAddressHeader заголовок с адресом',
  'findings.signing-key-old': 'Ключ подписи старше {days} дней',
  'findings.signing-key-old.remedy': '{command}: приложения ничего не заметят',
  'findings.signing-key-ahead': 'Ключ подписи датирован на {days} дней вперёд: часы были неверны, когда он был создан',
  'findings.mails-failed': 'Письма, которые не удалось отправить: {count}',
  'findings.mails-failed.remedy': '{command} скажет почему; затем retry-mail',
  'findings.tasks-failed': 'Прекращённые задачи вида {kind}: {count}',
  'findings.tasks-failed.remedy': '{command} скажет почему; затем requeue-task или drop-task',
  'findings.event-copy-differs':
    'В копии {copy} на позиции {position} есть событие, которого в цепочке, кончающейся на {head}, нет или оно там другое: в базе данных события изменили или удалили, либо это её более старое состояние',
  'findings.event-copy-differs.remedy': '{command} сообщит больше; если вы сами восстанавливали базу, переименуйте файл копии',
  'findings.event-reader-fails':
    'Читатель {name} не справляется с {since} (попытки: {failures}, отставание в событиях: {lag}): {why}',
  'findings.event-reader-fails.remedy': 'исправьте то, о чём говорит сообщение; дальше он продолжит сам',
  'findings.event-chain-unsealed':
    'Этот узел не запечатывает события: у него нет главного секрета, которым запечатывается цепочка',
  'findings.event-chain-unsealed.remedy': 'дайте каждому узлу один и тот же список секретов: GATEHOUSE_SECRET, новейший первым',
  'findings.declared-deleted': '{kind} {key}: удалено, хотя объявлено в {source}',
  'findings.declared-changed': '{kind} {key}: не так, как объявлено в {source}: {fields}',
  'findings.declared-more': 'Другие объекты, не такие, как объявлено: {count}',
  'findings.declared-deleted.remedy': 'apply с объявлением вернёт всё на место; или объявите так, как есть сейчас',
  'findings.declared-changed.remedy': 'apply с объявлением вернёт всё на место; или объявите так, как есть сейчас',
  'findings.declared-more.remedy': 'apply с объявлением вернёт всё на место; или объявите так, как есть сейчас',
  'findings.deliveries-waiting': 'Непонятые события оплаты в карантине: {count}',
  'findings.deliveries-many': 'Непонятые события оплаты в карантине: {count} или больше',
  'findings.deliveries-waiting.remedy': '{command}; затем replay-delivery или dismiss-delivery',
  'findings.deliveries-many.remedy': '{command}; затем replay-delivery или dismiss-delivery',
  'findings.renewals-unheard': 'Клиенты, о продлении которых ничего не пришло: {count} ({names})',
  'findings.renewals-unheard.remedy': 'проверьте на платёжной платформе, доходят ли её вебхуки сюда',
  'findings.secret-unknown': 'Значения, запечатанные секретом, которого нет в настройках: {count} ({columns})',
  'findings.secret-unknown.remedy': 'верните этот секрет в GATEHOUSE_SECRET после остальных',
  'findings.secret-older': 'Значения, запечатанные прежним секретом: {count}',
  'findings.secret-older.remedy': '{command}; затем уберите прежний секрет',
  'findings.secret-readable': 'Файл {file} с главным секретом доступен для чтения не только владельцу (режим {mode})',
  'findings.secret-readable.remedy':
    'chmod 600 {file}; если том снова выставляет режим, как fsGroup в Kubernetes, задайте вместо этого GATEHOUSE_SECRET_FILE',
  'findings.no-way-in': 'Никто не может войти: пароли, ключи доступа, вход по письму и провайдеры выключены',
  'findings.no-way-in.remedy':
    'включите что-то: accounts.emailPasswordEnabled, passkeys.enabled, mailSignIn.enabled или провайдера в social',
  'findings.schema-differs':
    'Таблицы не такие, какими их создали миграции, или пользователь базы данных не может ими пользоваться: {differences}',
  'findings.schema-differs.remedy':
    'выдайте названные права, создайте заново недостающий индекс или перестройте недействительный и отмените то, что мешает читать или записывать строки',
  'findings.pooler-unset': 'PostgreSQL доступен через пулер, который не держит сеансов: подготовленные запросы не работают',
  'findings.pooler-unset.remedy': 'задайте database.pooler: transaction или адрес самого PostgreSQL в databaseUrl',
  'findings.pooler-absent':
    'database.pooler: transaction, но пулера нет: запросы не готовятся, а узлы ждут новостей до двух секунд',
  'findings.pooler-absent.remedy': 'задайте database.pooler: none',
  'findings.pooler-without-limits':
    'Пулер не передаёт ограничений времени: PostgreSQL выполняет запросы, которых никто уже не ждёт',
  'findings.limits-off': 'limits.enabled выключено, хотя публичный адрес — не локальный http',
  'findings.url-http': 'url — http: пароли и cookie передаются открыто',
  'findings.smtp-unset': 'smtpUrl не задан: письма пишутся в файлы и ни до кого не доходят',
  'findings.smtp-plaintext':
    'smtpAllowPlaintext включено: кто слушает по пути к почтовому серверу, может использовать ссылки писем',
  'findings.any-origin': 'trustedOrigins содержит *: любая страница может действовать в сеансе своего посетителя',
  'findings.wide-proxies':
    'trustedProxies содержит диапазон чужих: они сами пишут свой адрес, и ограничения по адресу не действуют',
  'findings.weak-hashing': 'password.allowWeakHashing включено: по украденным хешам легко подбирать пароли',
  'findings.limits-off.remedy': 'измените это, см. docs/reference/config.md',
  'findings.url-http.remedy': 'измените это, см. docs/reference/config.md',
  'findings.smtp-unset.remedy': 'измените это, см. docs/reference/config.md',
  'findings.smtp-plaintext.remedy': 'измените это, см. docs/reference/config.md',
  'findings.any-origin.remedy': 'измените это, см. docs/reference/config.md',
  'findings.wide-proxies.remedy': 'измените это, см. docs/reference/config.md',
  'findings.weak-hashing.remedy': 'измените это, см. docs/reference/config.md',
  'findings.clocks-apart':
    'Часы этой машины и базы данных расходятся на {seconds} с: на них полагаются сроки, коды и ограничения',
  'findings.clocks-apart.remedy': 'синхронизируйте обе машины по NTP',
  'findings.records-ahead':
    'Самое новое событие датировано на {seconds} с позже часов этой машины: часы отстают или тогда спешили',
  'findings.records-ahead.remedy': 'синхронизируйте часы по NTP; если они верны, это пройдёт, когда наступит это время',
  'findings.disk-full': 'Свободно в {directory}, где лежит база данных: {megabytes} МБ',
  'findings.disk-full.remedy': 'освободите место или перенесите каталог данных',
  'findings.proxy-untrusted':
    'Публичный адрес — https за прокси, и ни одному прокси не доверяют: все делят его адрес и ограничения',
  'findings.proxy-untrusted.remedy': 'укажите в trustedProxies адрес прокси',
  'findings.factor-not-required': 'У пользователя {id} ({role}) с {since} нет второго фактора, и ничто его не требует',
  'findings.factor-late': 'У пользователя {id} ({role}) нет второго фактора, нужного с {due}: до тех пор роль ничего не даёт',
  'findings.factor-late.remedy': 'попросите войти и добавить его; {command}',
  'findings.factor-due': 'У пользователя {id} ({role}) нет второго фактора, нужного к {due}',
  'findings.factor-due.remedy': 'напомните человеку; {command}',
  'findings.factors-lacking': 'Другие пользователи с правами на экземпляр без второго фактора: {count}',
  'findings.factors-lacking.remedy': '{command} скажет кто',
  'findings.factors-late': 'Другие пользователи без второго фактора, чей срок истёк: {count}',
  'findings.factors-late-many': 'Другие пользователи без второго фактора, чей срок истёк: более {count}',
  'findings.passkeys-ip': '{hostname} — IP-адрес, для которого браузеры не предлагают ключей доступа',
  'findings.passkeys-http': '{url} — http, где браузеры не предлагают ключей доступа',
  'findings.passkeys-ip.remedy': 'задайте https-адрес в url или passkeys.enabled: false',
  'findings.passkeys-http.remedy': 'задайте https-адрес в url или passkeys.enabled: false',
  'findings.passkeys-missed': 'Пользователи, которые не могут войти без ключей доступа, ведь другого у них нет: {count}',
  'findings.passkeys-missed-among': 'Из первых {all} пользователей с ключами доступа не могут войти без них: {count}',
  'findings.passkeys-missed.remedy': 'задайте passkeys.enabled: true или create-recovery-link для каждого',
  'findings.passkeys-missed-among.remedy': 'задайте passkeys.enabled: true или create-recovery-link для каждого',
  'findings.backup-failed': 'Последняя резервная копия не удалась {at}: {why}',
  'findings.backup-missing': 'Резервную копию ещё не делали',
  'findings.backup-old': 'Последняя резервная копия от {at}',
  'findings.backup-failed.remedy': '{command} сделает её сейчас; backup.directory задаёт расписание',
  'findings.backup-missing.remedy': '{command} сделает её сейчас; backup.directory задаёт расписание',
  'findings.backup-old.remedy': '{command} сделает её сейчас; backup.directory задаёт расписание',
  'findings.no-administrator': 'Нет администратора',
  'findings.breached-file': 'Список утёкших паролей ({name}) недоступен с {since}, и пароли задают без него: {why}',
  'findings.breached-service': 'Список утёкших паролей ({name}) недоступен с {since}, и пароли задают без него: {why}',
  'findings.breached-file.remedy': 'создайте его командой import-breached',
  'findings.breached-service.remedy': 'проверьте, что password.breached.url доступен отсюда',
  'findings.page-scripts-fail':
    'Ошибки скриптов на страницах входа со вчерашнего дня: {count}. Возможно, некоторые люди не могут войти',
  'findings.page-scripts-fail.remedy':
    'найдите «a script failed on a page» в журнале сервера: там указаны страница, ошибка и браузер',
  'findings.check-failed': 'Проверить не удалось: {why}',
  'findings.check-failed.remedy': 'посмотрите журнал сервера',
}
