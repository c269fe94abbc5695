import type { SecondFactorMessagesOf } from '../../i18n.ts'

export const es: SecondFactorMessagesOf<'es'> = {
  'step.title': 'Un paso más',
  'step.lead': 'Confirma una vez más que eres tú.',
  'step.working': 'Comprobando…',
  'step.other': 'Probar otra forma',
  'step.choose': 'Elige cómo continuar',
  'step.lost': '¿No tienes nada de esto a mano? Pide ayuda a tu administrador.',
  'step.remember': {
    one: 'No volver a preguntar en este navegador durante {count} día',
    many: 'No volver a preguntar en este navegador durante {count} de días',
    other: 'No volver a preguntar en este navegador durante {count} días',
  },
  'step.overTitle': 'Ha pasado demasiado tiempo',
  'step.over': 'Por seguridad, un inicio de sesión termina a los pocos minutos. Empieza de nuevo y llegarás adonde ibas.',
  'step.start': 'Empezar de nuevo',

  'method.passkey': 'Llave de acceso',
  'method.passkeyText': 'Huella, rostro o PIN de tu dispositivo',
  'method.securityKey': 'Llave de seguridad',
  'method.securityKeyText': 'Conéctala o acércala al dispositivo y tócala',
  'method.totp': 'Aplicación de autenticación',
  'method.totpText': 'Los seis dígitos que muestra la aplicación',
  'method.mailCode': 'Código por correo',
  'method.mailCodeText': 'Seis dígitos, enviados a {email}',
  'method.recoveryCode': 'Código de recuperación',
  'method.recoveryCodeText': 'Uno de los códigos que guardaste',

  'code.label': 'Código',
  'code.missing': 'Escribe los seis dígitos',
  'code.totp': 'Escribe los seis dígitos que muestra tu aplicación de autenticación.',
  'code.mailAsk': 'Enviaremos seis dígitos a {email}.',
  'code.mailSent': 'Hemos enviado seis dígitos a {email}. Escríbelos aquí.',
  'code.send': 'Enviar código',
  'code.recovery': 'Escribe uno de los códigos de recuperación que guardaste. Cada uno sirve una vez.',
  'code.recoveryMissing': 'Escribe un código de recuperación',

  'enrol.title': 'Protege tu cuenta',
  'enrol.lead': 'Tu cuenta necesita un segundo paso al iniciar sesión. Elige cuál.',
  'enrol.appText': 'Una aplicación del móvil muestra un código nuevo cada medio minuto',
  'enrol.appTitle': 'Conecta tu aplicación de autenticación',
  'enrol.scan': 'Escanea este código con la aplicación.',
  'enrol.qr': 'Código QR para la aplicación de autenticación',
  'enrol.key': 'O escribe en ella esta clave:',
  'enrol.copyKey': 'Copiar clave',
  'enrol.code': 'Código que muestra ahora la aplicación',
  'enrol.submit': 'Confirmar',

  'codes.title': 'Guarda tus códigos de recuperación',
  'codes.lead':
    'Si no tienes el móvil, cada código te sirve una vez para entrar. Solo se muestran ahora: guárdalos donde nadie más los encuentre.',
  'codes.file': 'Códigos de recuperación de {site}',
  'codes.copy': 'Copiar',
  'codes.download': 'Descargar',
  'codes.print': 'Imprimir',
  'codes.kept': 'Ya los he guardado',
  'codes.fewTitle': 'Quedan pocos códigos',
  'codes.few': {
    one: 'Te queda {count} código de recuperación. Crea otros nuevos en tu cuenta.',
    many: 'Te quedan {count} de códigos de recuperación. Crea otros nuevos en tu cuenta.',
    other: 'Te quedan {count} códigos de recuperación. Crea otros nuevos en tu cuenta.',
  },

  'copy.done': 'Copiado',
  'copy.failed': 'El navegador no lo ha permitido. Selecciona el texto y cópialo.',

  'passkey.use': 'Usar llave de acceso',
  'passkey.useKey': 'Usar llave de seguridad',
  'passkey.lead': 'Tu navegador te pedirá la huella, el rostro o un PIN.',
  'passkey.keyLead': 'Conecta la llave o acércala al dispositivo y tócala.',
  'passkey.waiting': 'Esperando al navegador…',
  'passkey.cancelled':
    'Se ha cancelado, ha tardado demasiado o este dispositivo no tiene ninguna llave para tu cuenta. Inténtalo de nuevo o elige otra forma.',
  'passkey.notMade': 'Se ha cancelado o ha tardado demasiado. Inténtalo de nuevo o elige otra forma.',
  'passkey.unsupported': 'Este navegador no admite llaves de acceso. Usa otro navegador o elige otra forma.',
  'passkey.domain': 'Las llaves de acceso no funcionan en esta dirección. Pide a tu administrador que lo revise.',
  'passkey.exists': 'Este dispositivo ya tiene una llave de acceso para tu cuenta.',
  'passkey.device': 'Este dispositivo no puede hacerlo. Usa otro o elige otra forma.',
  'passkey.failed': 'No ha funcionado. Inténtalo de nuevo o elige otra forma.',

  'offer.title': 'La próxima vez, más rápido',
  'offer.text': 'Con una llave de acceso basta la huella, la cara o el PIN de este dispositivo.',
  'offer.add': 'Añadir llave de acceso',
  'offer.decline': 'No, gracias',
  'byMail.lead': 'Te enviaremos un enlace y un código. No necesitas contraseña.',
  'byMail.submit': 'Enviar correo',
  'byMail.sent':
    'Si puedes iniciar sesión con {email}, un correo está en camino. Escribe su código o abre su enlace en este navegador.',
  'byMail.password': 'Iniciar sesión con contraseña',

  'serverError.INVALID_CODE': 'Este código no es correcto o ya se ha usado',
  'serverError.INVALID_BACKUP_CODE': 'Este código de recuperación no es correcto o ya se ha usado',
  'serverError.OTP_HAS_EXPIRED': 'Este código ha caducado. Pide que se envíe otro',
  'serverError.TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE': 'Demasiados códigos incorrectos. Pide que se envíe otro',
  'serverError.OTP_NOT_CONFIGURED': 'Aquí no se pueden enviar códigos por correo. Elige otra forma.',
  'serverError.TOTP_ALREADY_ENABLED': 'Tu cuenta ya tiene una aplicación de autenticación.',
  'serverError.PASSKEY_NOT_FOUND': 'Esta llave de acceso no se conoce aquí o se ha eliminado. Elige otra forma.',
  'serverError.AUTHENTICATION_FAILED': 'Esta llave de acceso no se ha aceptado. Inténtalo de nuevo o elige otra forma.',
  'serverError.USER_VERIFICATION_REQUIRED':
    'Esta llave no pide huella, rostro ni PIN, así que solo vale como segundo paso. Inicia sesión primero con tu contraseña.',
  'serverError.CHALLENGE_NOT_FOUND': 'Ha tardado demasiado. Inténtalo de nuevo.',
  'serverError.PREVIOUSLY_REGISTERED': 'Esta llave de acceso ya existe.',
  'serverError.FAILED_TO_VERIFY_REGISTRATION': 'No se ha podido añadir la llave de acceso. Inténtalo de nuevo.',
  'serverError.TOO_MANY_PASSKEYS_REMOVE_ONE_FIRST': 'Tienes tantas llaves de acceso como se permiten. Elimina una primero.',
  'serverError.INVALID_OTP': 'Este código no es correcto',
  'serverError.OTP_EXPIRED': 'Este código ha caducado. Pide que se envíe otro correo',
  'serverError.TOO_MANY_ATTEMPTS': 'Demasiados códigos incorrectos. Pide que se envíe otro correo',
  'serverError.SIGN_IN_BY_MAIL_IS_NOT_ENABLED': 'El inicio de sesión por correo está desactivado aquí.',
  'serverError.OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED':
    'Abre el enlace en el navegador en el que lo pediste o pide aquí otro correo.',
  'serverError.PASSKEYS_ARE_NOT_ENABLED': 'Las llaves de acceso están desactivadas aquí. Elige otra forma.',
  'serverError.YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY':
    'Ahora hay otra persona con la sesión iniciada aquí. Vuelve a cargar la página.',
  'serverError.TOTP_NOT_ENABLED':
    'Tu cuenta no tiene aplicación de autenticación, o añadirla ha tardado demasiado. Empieza de nuevo.',
  'serverError.BACKUP_CODES_NOT_ENABLED': 'Tu cuenta no tiene códigos de recuperación. Elige otra forma.',

  'lost.link': 'He perdido todo esto',
  'lost.title': '¿Lo has perdido todo?',
  'lost.lead': {
    one: 'Podrás iniciar sesión sin ello tras una espera de {count} día.',
    many: 'Podrás iniciar sesión sin ello tras una espera de {count} de días.',
    other: 'Podrás iniciar sesión sin ello tras una espera de {count} días.',
  },
  'lost.how':
    'Te avisamos por correo enseguida y durante la espera, para que puedas detenerlo si no has sido tú. Después vuelves a iniciar sesión con tu contraseña y escribes un código que enviamos a {email}. Entonces se quitan las llaves de acceso, la aplicación y los códigos.',
  'lost.start': 'Empezar la espera',
  'lost.waitingTitle': 'Toca esperar',
  'lost.waiting': 'A partir del {date} podrás quitar tus segundos factores: vuelve a iniciar sesión entonces con tu contraseña.',
  'lost.found': '¿Has encontrado alguno? Inicia sesión con él y la espera termina.',
  'lost.stop': 'Detener la espera',
  'lost.readyTitle': 'La espera ha terminado',
  'lost.ready':
    'Enviaremos seis dígitos a {email}. Con ellos se quitan las llaves de acceso, la aplicación y los códigos, e inicias sesión.',
  'lost.until': 'Puedes hacerlo hasta el {date}.',

  'running.title': 'Retirada de los segundos factores',
  'running.waiting':
    'Alguien que conoce tu contraseña ha dicho que tus segundos factores se han perdido. A partir de {date} se podrán quitar.',
  'running.ready': 'Hasta {date}, quien conozca tu contraseña y lea tu correo puede quitar tus segundos factores.',
  'running.stop': 'No he sido yo: detenerlo',
  'running.stopped': 'Detenido: tus segundos factores se quedan. Quien lo intentó conoce tu contraseña; cámbiala ahora.',
  'stop.title': '¿No has sido tú?',
  'stop.text':
    'Alguien que conoce tu contraseña quiere quitar los segundos factores de tu cuenta. Puedes detenerlo; entonces se cierran todas las sesiones.',
  'stop.submit': 'Detenerlo y cerrar todas las sesiones',
  'stop.doneTitle': 'Detenido',
  'stop.done': 'Tus segundos factores se quedan. Quien lo intentó conoce tu contraseña: crea ahora una nueva.',
  'stop.goneTitle': 'Ya no hay nada que detener',
  'stop.gone':
    'Ya se detuvo, o ya está hecho. Si no has sido tú, crea enseguida una contraseña nueva y revisa las formas de iniciar sesión en tu cuenta.',
  'stop.newPassword': 'Crear una contraseña nueva',

  'serverError.SECOND_FACTOR_RECOVERY_NOT_AVAILABLE':
    'Tus segundos factores no se pueden quitar así. Pide ayuda a tu administrador.',
  'serverError.SECOND_FACTOR_RECOVERY_NOT_READY':
    'La espera no ha terminado o se detuvo. Vuelve a iniciar sesión para ver cómo va.',
  'serverError.SECOND_FACTOR_RECOVERY_NOT_FOUND': 'Ya no hay nada que detener',
}
