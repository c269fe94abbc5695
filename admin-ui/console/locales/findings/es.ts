import type { MoreMessagesOf } from '../../../shared/i18n.ts'

export const es: MoreMessagesOf<'es', 'consoleFindings'> = {
  'findings.client-secret-ends': 'La aplicación {clientId} sigue usando un secreto que termina el {at}',
  'findings.client-secret-ends.remedy': 'da a la aplicación su nuevo secreto',
  'findings.client-without-pkce':
    'La aplicación {clientId} inicia sesiones sin PKCE, que la protege de códigos robados o introducidos por otros',
  'findings.client-without-pkce.remedy': 'activa PKCE (S256) en la aplicación y después {command}',
  'findings.client-logo-missing': 'El logotipo de la aplicación {clientId} no se obtuvo de {icon}{because}',
  'findings.client-logo-missing.remedy': '{command} lo intenta de nuevo; --logo toma un archivo',
  'findings.identities-rounded':
    'Métodos de acceso en {provider} que pueden pertenecer a dos personas, porque las versiones anteriores redondeaban los números largos: {count} ({names})',
  'findings.identities-rounded.remedy':
    'compare los identificadores con los de {provider}; el propietario quita en su cuenta el que sea erróneo y vincula el correcto',
  'findings.client-address-unreadable':
    'Un proxy de confianza no escribe en {header} ninguna dirección comprensible: todas las personas detrás de él comparten su dirección y sus límites',
  'findings.client-address-unreadable.remedy':
    'vea "client address not understood" en el registro del servicio y ponga en http.clientAddressHeader la cabecera que la lleva',
  'findings.signing-key-old': 'Una clave de firma tiene más de {days} días',
  'findings.signing-key-old.remedy': '{command}: las aplicaciones no notan nada',
  'findings.signing-key-ahead': 'Una clave de firma tiene una fecha {days} días adelantada: el reloj estaba mal cuando se creó',
  'findings.mails-failed': 'Correos que no se pudieron enviar: {count}',
  'findings.mails-failed.remedy': '{command} dice por qué; después retry-mail',
  'findings.tasks-failed': 'Tareas del tipo {kind} que se abandonaron: {count}',
  'findings.tasks-failed.remedy': '{command} dice por qué; después requeue-task o drop-task',
  'findings.event-copy-differs':
    'La copia {copy} tiene en la posición {position} un evento que la cadena, que termina en {head}, no tiene así: se cambiaron o quitaron eventos en la base de datos, o es un estado anterior',
  'findings.event-copy-differs.remedy':
    '{command} dice más; tras una restauración propia, cambia el nombre del archivo de la copia',
  'findings.event-reader-fails': 'El lector {name} falla desde {since} (intentos: {failures}, eventos pendientes: {lag}): {why}',
  'findings.event-reader-fails.remedy': 'arregla lo que dice su mensaje; sigue por sí solo',
  'findings.event-chain-unsealed': 'Este nodo no sella eventos: no tiene el secreto maestro con el que se sella la cadena',
  'findings.event-chain-unsealed.remedy': 'da a cada nodo la misma lista de secretos: GATEHOUSE_SECRET, el más nuevo primero',
  'findings.declared-deleted': '{kind} {key} se eliminó, y {source} lo declara',
  'findings.declared-changed': '{kind} {key} es distinto de como lo declara {source}: {fields}',
  'findings.declared-more': 'Más objetos distintos de lo declarado: {count}',
  'findings.declared-deleted.remedy': 'apply con la declaración lo restablece; o decláralo como está ahora',
  'findings.declared-changed.remedy': 'apply con la declaración lo restablece; o decláralo como está ahora',
  'findings.declared-more.remedy': 'apply con la declaración lo restablece; o decláralo como está ahora',
  'findings.deliveries-waiting': 'Eventos de facturación que no se entendieron y esperan en cuarentena: {count}',
  'findings.deliveries-many': 'Eventos de facturación que no se entendieron y esperan en cuarentena: {count} o más',
  'findings.deliveries-waiting.remedy': '{command}; después replay-delivery o dismiss-delivery',
  'findings.deliveries-many.remedy': '{command}; después replay-delivery o dismiss-delivery',
  'findings.renewals-unheard': 'Clientes cuya renovación nunca se recibió: {count} ({names})',
  'findings.renewals-unheard.remedy': 'mira en la plataforma de facturación si sus webhooks llegan aquí',
  'findings.secret-unknown': 'Valores sellados con un secreto que no está configurado: {count} ({columns})',
  'findings.secret-unknown.remedy': 'vuelve a poner ese secreto detrás de los demás en GATEHOUSE_SECRET',
  'findings.secret-older': 'Valores sellados con un secreto anterior: {count}',
  'findings.secret-older.remedy': '{command}; después quita el secreto anterior',
  'findings.secret-readable':
    'Otros usuarios además del propietario pueden leer {file}, que contiene el secreto maestro (modo {mode})',
  'findings.secret-readable.remedy':
    'chmod 600 {file}; si el volumen vuelve a poner el modo, como fsGroup de Kubernetes, define GATEHOUSE_SECRET_FILE en su lugar',
  'findings.no-way-in': 'Nadie puede iniciar sesión: contraseñas, llaves de acceso, correo y proveedores están desactivados',
  'findings.no-way-in.remedy':
    'activa uno: accounts.emailPasswordEnabled, passkeys.enabled, mailSignIn.enabled o un proveedor en social',
  'findings.pooler-unset':
    'PostgreSQL se alcanza a través de un pooler que no mantiene sesiones: las sentencias preparadas fallan',
  'findings.pooler-unset.remedy': 'pon database.pooler en transaction, o databaseUrl en la dirección del propio PostgreSQL',
  'findings.pooler-absent':
    'database.pooler es transaction y no hay pooler: las sentencias no se preparan y los nodos esperan hasta dos segundos',
  'findings.pooler-absent.remedy': 'pon database.pooler en none',
  'findings.pooler-without-limits':
    'El pooler no transmite límites de tiempo: PostgreSQL sigue con sentencias que nadie espera ya',
  'findings.limits-off': 'limits.enabled está desactivado aunque la dirección pública no es http local',
  'findings.url-http': 'url es http: contraseñas y cookies viajan en claro',
  'findings.smtp-unset': 'smtpUrl no está definido: los correos se escriben en archivos y no llegan a nadie',
  'findings.smtp-plaintext':
    'smtpAllowPlaintext está activado: quien escuche en el camino al servidor de correo puede usar los enlaces',
  'findings.any-origin': 'trustedOrigins contiene *: cualquier página puede actuar con la sesión de quien la visita',
  'findings.wide-proxies':
    'trustedProxies contiene un rango de extraños: escriben su propia dirección y ningún límite por dirección sirve',
  'findings.weak-hashing': 'password.allowWeakHashing está activado: es barato adivinar a partir de hashes robados',
  'findings.limits-off.remedy': 'cámbialo, véase docs/reference/config.md',
  'findings.url-http.remedy': 'cámbialo, véase docs/reference/config.md',
  'findings.smtp-unset.remedy': 'cámbialo, véase docs/reference/config.md',
  'findings.smtp-plaintext.remedy': 'cámbialo, véase docs/reference/config.md',
  'findings.any-origin.remedy': 'cámbialo, véase docs/reference/config.md',
  'findings.wide-proxies.remedy': 'cámbialo, véase docs/reference/config.md',
  'findings.weak-hashing.remedy': 'cámbialo, véase docs/reference/config.md',
  'findings.clocks-apart':
    'Los relojes de esta máquina y de la base de datos difieren en {seconds} s: plazos, códigos y límites dependen de ellos',
  'findings.clocks-apart.remedy': 'sincroniza ambas máquinas con NTP',
  'findings.records-ahead':
    'El evento más reciente tiene una fecha {seconds} segundos por delante del reloj de esta máquina: el reloj atrasa, o entonces adelantaba',
  'findings.records-ahead.remedy': 'sincroniza el reloj con NTP; si es correcto, esto termina cuando llegue ese momento',
  'findings.disk-full': 'Espacio libre en {directory}, donde está la base de datos: {megabytes} MB',
  'findings.disk-full.remedy': 'haz sitio o mueve el directorio de datos',
  'findings.proxy-untrusted':
    'La dirección pública es https, servida por un proxy, y no se confía en ninguno: todos comparten su dirección y sus límites',
  'findings.proxy-untrusted.remedy': 'pon en trustedProxies la dirección del proxy',
  'findings.factor-not-required': 'El usuario {id} ({role}) no tiene segundo factor desde {since}, y nada lo exige',
  'findings.factor-late':
    'El usuario {id} ({role}) no tiene segundo factor, exigido desde el {due}: hasta que lo añada, el rol no da nada',
  'findings.factor-late.remedy': 'pídele que inicie sesión y añada uno; {command}',
  'findings.factor-due': 'El usuario {id} ({role}) no tiene segundo factor, exigido para el {due}',
  'findings.factor-due.remedy': 'recuérdaselo; {command}',
  'findings.factors-lacking': 'Más usuarios con permisos de la instancia y sin segundo factor: {count}',
  'findings.factors-lacking.remedy': '{command} dice quiénes',
  'findings.factors-late': 'Otros usuarios sin segundo factor cuyo plazo ha terminado: {count}',
  'findings.factors-late-many': 'Otros usuarios sin segundo factor cuyo plazo ha terminado: más de {count}',
  'findings.passkeys-ip': '{hostname} es una dirección IP, para la que los navegadores no ofrecen llaves de acceso',
  'findings.passkeys-http': '{url} es http, donde los navegadores no ofrecen llaves de acceso',
  'findings.passkeys-ip.remedy': 'pon en url una dirección https, o passkeys.enabled en false',
  'findings.passkeys-http.remedy': 'pon en url una dirección https, o passkeys.enabled en false',
  'findings.passkeys-missed': 'Usuarios que no pueden iniciar sesión sin llaves de acceso, pues no tienen otra cosa: {count}',
  'findings.passkeys-missed-among':
    'De los primeros {all} usuarios con llaves de acceso, no pueden iniciar sesión sin ellas: {count}',
  'findings.passkeys-missed.remedy': 'pon passkeys.enabled en true, o create-recovery-link para cada uno',
  'findings.passkeys-missed-among.remedy': 'pon passkeys.enabled en true, o create-recovery-link para cada uno',
  'findings.backup-failed': 'La última copia de seguridad falló el {at}: {why}',
  'findings.backup-missing': 'Nunca se hizo una copia de seguridad',
  'findings.backup-old': 'La última copia de seguridad es del {at}',
  'findings.backup-failed.remedy': '{command} hace una ahora; backup.directory fija un plan',
  'findings.backup-missing.remedy': '{command} hace una ahora; backup.directory fija un plan',
  'findings.backup-old.remedy': '{command} hace una ahora; backup.directory fija un plan',
  'findings.no-administrator': 'No hay ningún administrador',
  'findings.breached-file':
    'La lista de contraseñas filtradas ({name}) no responde desde {since}, y las contraseñas se fijan sin ella: {why}',
  'findings.breached-service':
    'La lista de contraseñas filtradas ({name}) no responde desde {since}, y las contraseñas se fijan sin ella: {why}',
  'findings.breached-file.remedy': 'créala con import-breached',
  'findings.breached-service.remedy': 'comprueba que se llega a password.breached.url desde aquí',
  'findings.page-scripts-fail':
    'Errores de scripts en las páginas de acceso desde ayer: {count}. Puede que algunas personas no logren entrar',
  'findings.page-scripts-fail.remedy':
    'busca «a script failed on a page» en el registro del servidor, que indica página, error y navegador',
  'findings.check-failed': 'No se pudo comprobar: {why}',
  'findings.check-failed.remedy': 'mira el registro del servidor',
}
