import type { LinkMessagesOf } from '../../i18n.ts'

export const es: LinkMessagesOf<'es'> = {
  'confirmEmail.title': 'Confirma tu dirección de correo',
  'confirmEmail.text': 'Nos pediste comprobar que esta dirección es tuya. Basta un clic.',
  'confirmEmail.submit': 'Confirmar dirección',
  'confirmEmail.withPassword':
    'Aquí hay una cuenta con {email}. Escribe la contraseña elegida para ella y la dirección quedará confirmada.',
  'confirmEmail.notMine': 'No la sé o no creé esta cuenta',
  'confirmEmail.claimTitle': 'Haz tuya esta cuenta',
  'confirmEmail.claim':
    'Elige una contraseña nueva para {email}. Se cierran todas las sesiones de quien creó la cuenta y se quitan sus otras formas de entrar.',
  'confirmEmail.claimSubmit': 'Guardar contraseña y confirmar',
  'confirmEmail.usePassword': 'Sé la contraseña',
  'recover.title': 'Recupera tu cuenta',
  'recover.lead':
    'La dirección de tu cuenta ha cambiado. Si no fuiste tú, elige una contraseña nueva: {email} volverá a ser su dirección.',
  'recover.loses':
    'Se cierran todas las sesiones y se desconectan las cuentas y aplicaciones vinculadas. Puedes volver a conectarlas.',
  'recover.submit': 'Recuperar la cuenta',
  'recover.doneTitle': 'La cuenta vuelve a ser tuya',
  'recover.done': 'Su dirección es de nuevo {email}. A partir de ahora, entra con la contraseña nueva.',
  'recover.invalid':
    'Los enlaces para recuperar una cuenta sirven una sola vez y por tiempo limitado. Si no puedes entrar, pide ayuda a tu administrador.',

  'setup.title': 'Te damos la bienvenida a gatehouse',
  'setup.lead': 'Crea el primer administrador. Después, este enlace ya no servirá.',
  'setup.submit': 'Crear administrador',
  'setup.working': 'Configurando…',
  'setup.usedTitle': 'Este enlace de configuración ya se ha usado',
  'setup.used': 'Funciona una vez y durante una hora. Crea uno nuevo en el servidor con:',
  'setup.missingTitle': 'Hace falta un enlace de configuración',
  'setup.missing': 'Se escribió en el registro en el primer arranque. Crea uno nuevo en el servidor con:',
  'setup.doneTitle': 'Este servidor ya está configurado',
  'setup.done':
    'Ya hay un administrador, por lo que los enlaces de configuración ya no sirven. Inicia sesión; si has perdido la contraseña, pide allí una nueva o establécela en el servidor con:',
}
