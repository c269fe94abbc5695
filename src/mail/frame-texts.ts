import type { Locale } from '../core/locale.ts'

/** Why somebody gets a mail: it concerns their account, somebody invites them, or an operator tries whether mail works. */
export type MailReason = 'account' | 'invitation' | 'test'

/** What stands around the words of every mail. `{company}`: the name of the brand, `{host}`: that of the public address. */
type FrameTexts = Readonly<Record<'linkHint' | 'help' | 'privacy' | MailReason, string>>

export const frameTexts: Readonly<Record<Locale, FrameTexts>> = {
  ru: {
    linkHint: 'Если кнопка не работает, откройте этот адрес:',
    account: '{company} отправляет это письмо, потому что оно касается вашего аккаунта на {host}.',
    invitation: '{company} отправляет это письмо, потому что на {host} указали ваш адрес в приглашении.',
    test: '{company} отправляет это письмо, потому что администратор {host} проверяет почту.',
    help: 'Помощь',
    privacy: 'Конфиденциальность',
  },
  uk: {
    linkHint: 'Якщо кнопка не працює, відкрийте цю адресу:',
    account: '{company} надсилає цей лист, бо він стосується вашого облікового запису на {host}.',
    invitation: '{company} надсилає цей лист, бо на {host} вказали вашу адресу в запрошенні.',
    test: '{company} надсилає цей лист, бо адміністратор {host} перевіряє пошту.',
    help: 'Допомога',
    privacy: 'Конфіденційність',
  },
  en: {
    linkHint: 'If the button does not work, open this address:',
    account: '{company} sends you this mail because it concerns your account at {host}.',
    invitation: '{company} sends you this mail because somebody at {host} invited your address.',
    test: '{company} sends you this mail because an operator of {host} is trying whether mail works.',
    help: 'Help',
    privacy: 'Privacy',
  },
  es: {
    linkHint: 'Si el botón no funciona, abre esta dirección:',
    account: '{company} te envía este correo porque se refiere a tu cuenta en {host}.',
    invitation: '{company} te envía este correo porque alguien en {host} ha invitado tu dirección.',
    test: '{company} te envía este correo porque un administrador de {host} comprueba el correo.',
    help: 'Ayuda',
    privacy: 'Privacidad',
  },
  de: {
    linkHint: 'Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
    account: '{company} sendet Ihnen diese E-Mail, weil sie Ihr Konto bei {host} betrifft.',
    invitation: '{company} sendet Ihnen diese E-Mail, weil jemand bei {host} Ihre Adresse eingeladen hat.',
    test: '{company} sendet Ihnen diese E-Mail, weil bei {host} der Versand von E-Mails geprüft wird.',
    help: 'Hilfe',
    privacy: 'Datenschutz',
  },
  pl: {
    linkHint: 'Jeśli przycisk nie działa, otwórz ten adres:',
    account: '{company} wysyła tę wiadomość, ponieważ dotyczy ona Twojego konta w {host}.',
    invitation: '{company} wysyła tę wiadomość, ponieważ ktoś w {host} zaprosił Twój adres.',
    test: '{company} wysyła tę wiadomość, ponieważ administrator {host} sprawdza pocztę.',
    help: 'Pomoc',
    privacy: 'Prywatność',
  },
  fr: {
    linkHint: 'Si le bouton ne fonctionne pas, ouvrez cette adresse :',
    account: '{company} vous envoie cet e-mail parce qu’il concerne votre compte sur {host}.',
    invitation: '{company} vous envoie cet e-mail parce que quelqu’un sur {host} a invité votre adresse.',
    test: '{company} vous envoie cet e-mail parce qu’un administrateur de {host} vérifie l’envoi des e-mails.',
    help: 'Aide',
    privacy: 'Confidentialité',
  },
  tr: {
    linkHint: 'Düğme çalışmazsa bu adresi açın:',
    account: '{company} bu e-postayı {host} üzerindeki hesabınızla ilgili olduğu için gönderiyor.',
    invitation: '{company} bu e-postayı {host} üzerinde biri adresinizi davet ettiği için gönderiyor.',
    test: '{company} bu e-postayı bir {host} yöneticisi posta gönderimini denediği için gönderiyor.',
    help: 'Yardım',
    privacy: 'Gizlilik',
  },
}
